#include "addon/structures.h"

#include <vector>

#include "addon/bind.h"

namespace libra::addon {

Napi::Value worldFault(const Napi::CallbackInfo& info) {
  libra_fault fault;
  if (libra_world_fault(unbox<libra_world>(info[0]), &fault) == 0) return info.Env().Undefined();
  return errorOf(info.Env(), FaultCopy(fault));
}

Napi::Value storageWrite(const Napi::CallbackInfo& info) {
  auto* storage = unbox<libra_storage>(info[0]);
  const auto array = info[1].As<Napi::TypedArray>();
  const auto* begin = static_cast<const char*>(array.ArrayBuffer().Data()) + array.ByteOffset();
  const int type = info[2].As<Napi::Number>().Int32Value();
  const auto bytes = static_cast<int64_t>(array.ByteLength());
  check(info.Env(), libra_storage_write(storage, begin, bytes / libra_wide_bytes(type), type));
  return info.Env().Undefined();
}

Napi::Value memoryStatistics(const Napi::CallbackInfo& info) {
  libra_memory memory;
  libra_memory_statistics(unbox<libra_world>(info[0]), info[1].As<Napi::Number>().Int32Value(),
                          &memory);
  auto result = Napi::Object::New(info.Env());
  const auto set = [&](const char* name, int64_t value) {
    result.Set(name, static_cast<double>(value));
  };
  set("liveBytes", memory.live_bytes);
  set("liveBlocks", memory.live_blocks);
  set("peakBytes", memory.peak_bytes);
  set("cachedBytes", memory.cached_bytes);
  set("allocations", memory.allocations);
  set("reuses", memory.reuses);
  set("leaked", memory.leaked);
  return result;
}

Napi::Value streamTimings(const Napi::CallbackInfo& info) {
  auto* stream = unbox<libra_stream>(info[0]);
  std::vector<libra_timing> timings(64);
  const int count = libra_stream_timings(stream, timings.data(), static_cast<int>(timings.size()));
  auto result = Napi::Object::New(info.Env());
  for (int i = 0; i < count && i < static_cast<int>(timings.size()); ++i) {
    const libra_timing& timing = timings[i];
    auto entry = Napi::Object::New(info.Env());
    entry.Set("count", static_cast<double>(timing.count));
    entry.Set("wallMs", timing.wall_ms);
    entry.Set("cpuMs", timing.cpu_ms);
    entry.Set("waitMs", timing.wait_ms);
    result.Set(timing.kind, entry);
  }
  return result;
}

namespace {

struct Tensors {
  std::vector<libra_tensor> tensors;
  std::vector<int64_t> bytes;
};

/// [storage, offset, bytes, storage, offset, bytes, …]
Tensors tensorsOf(const Napi::Value& value) {
  const auto triples = value.As<Napi::Array>();
  Tensors result;
  for (uint32_t i = 0; i + 2 < triples.Length(); i += 3) {
    const Napi::Value storage = triples[i];
    const Napi::Value offset = triples[i + 1], bytes = triples[i + 2];
    result.tensors.push_back(
        {unbox<libra_storage>(storage), offset.As<Napi::Number>().Int64Value()});
    result.bytes.push_back(bytes.As<Napi::Number>().Int64Value());
  }
  return result;
}

}  // namespace

/// transfers: [send, receive, sources, destinations, vectorBytes, …] five values each
Napi::Value exchange(const Napi::CallbackInfo& info) {
  auto* communicator = unbox<libra_communicator>(info[0]);
  auto* stream = unbox<libra_stream>(info[1]);
  const auto given = info[2].As<Napi::Array>();
  const uint32_t count = given.Length() / 5;
  std::vector<Tensors> sources, destinations;
  std::vector<libra_transfer> transfers;
  for (uint32_t i = 0; i < count; ++i) {
    const Napi::Value from = given[i * 5 + 2], to = given[i * 5 + 3];
    sources.push_back(tensorsOf(from));
    destinations.push_back(tensorsOf(to));
  }
  for (uint32_t i = 0; i < count; ++i) {
    const Napi::Value send = given[i * 5], receive = given[i * 5 + 1];
    const Napi::Value vectorBytes = given[i * 5 + 4];
    transfers.push_back({unbox<libra_block_list>(send), unbox<libra_block_list>(receive),
                         sources[i].tensors.data(), sources[i].bytes.data(),
                         static_cast<int>(sources[i].bytes.size()), destinations[i].tensors.data(),
                         destinations[i].bytes.data(),
                         static_cast<int>(destinations[i].bytes.size()),
                         vectorBytes.As<Napi::Number>().Int64Value()});
  }
  check(info.Env(),
        libra_exchange(communicator, stream, transfers.data(), static_cast<int>(count)));
  return info.Env().Undefined();
}

}  // namespace libra::addon
