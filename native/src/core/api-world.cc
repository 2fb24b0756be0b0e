// Environment, worlds, memory, streams and events behind libra.h.
#include <cstring>

#include "core/api.h"

namespace {

using libra::Error;
using libra::Fault;

thread_local Fault lastFault;
thread_local libra_fault lastView;
thread_local Fault worldFault;

libra_fault view(const Fault& fault) {
  return {fault.code.c_str(), fault.message.c_str(), fault.details.c_str()};
}

libra::Completion::Callback callbackOf(libra_callback callback, void* data) {
  return [callback, data](const Fault* fault) {
    if (fault == nullptr) {
      callback(data, nullptr);
    } else {
      const libra_fault seen = view(*fault);
      callback(data, &seen);
    }
  };
}

}  // namespace

namespace libra::api {

void keepFault(Fault fault) {
  lastFault = std::move(fault);
  lastView = view(lastFault);
}

}  // namespace libra::api

using libra::api::guarded;
using libra::api::memoryOf;
using libra::api::typeOf;

extern "C" {

int64_t libra_wide_bytes(int type) { return type == LIBRA_FLOAT64 ? 8 : 4; }

const libra_fault* libra_last_fault(void) { return &lastView; }

libra_environment* libra_environment_create(void) {
  return new libra_environment{std::make_shared<libra::Environment>()};
}

int libra_environment_drain(libra_environment* environment, double drain_ms) {
  return environment->environment->close(drain_ms);
}

void libra_environment_release(libra_environment* environment) { delete environment; }

const char* libra_instruction_sets(void) {
  static const auto* names = new std::string(libra::instructionSets());
  return names->c_str();
}

libra_status libra_world_create(libra_environment* environment, int size, double timeout_ms,
                                int threads, int fuzz, double seed, const char* instruction_set,
                                libra_world** out) {
  return guarded([&] {
    if (size < 1 || threads < 1) {
      throw Error("ARGUMENT", "Expected at least one rank and one thread but received " +
                                  std::to_string(size) + " and " + std::to_string(threads));
    }
    libra::WorldOptions options;
    options.size = size;
    options.timeoutMs = timeout_ms;
    options.threads = threads;
    options.fuzz = fuzz != 0;
    options.seed = static_cast<uint64_t>(seed);
    options.instructionSet = instruction_set;
    *out = new libra_world{libra::World::create(environment->environment, options)};
  });
}

void libra_world_release(libra_world* world) { delete world; }

int64_t libra_world_row_block(libra_world* world) { return world->world->kernels().rowBlock; }

const char* libra_world_instruction_set(libra_world* world) {
  return world->world->kernels().instructionSet;
}

void libra_world_beat(libra_world* world) { world->world->beat(); }

void libra_world_fail(libra_world* world, const char* code, const char* message,
                      const char* details) {
  world->world->fail({code, message, details});
}

int libra_world_fault(libra_world* world, libra_fault* out) {
  auto fault = world->world->fault();
  if (!fault) return 0;
  worldFault = std::move(*fault);
  *out = view(worldFault);
  return 1;
}

void libra_world_returned(libra_world* world, int rank) { world->world->returned(rank); }
int libra_world_drain(libra_world* world) { return world->world->drain(); }
void libra_world_deadlock(libra_world* world) { world->world->raiseDeadlock(); }
int libra_world_queued(libra_world* world) { return world->world->queued(); }
void libra_world_close(libra_world* world) {
  world->world->close();
  // No stream is left that could use them, and the garbage collector may take a while.
  for (libra_storage* storage : *world->storages) storage->storage.reset();
}

libra_status libra_storage_create(libra_world* world, int rank, int64_t bytes,
                                  libra_storage** out) {
  return guarded([&] {
    if (bytes < 0) throw Error("ARGUMENT", "Expected at least 0 bytes for bytes");
    auto& allocator = world->world->allocator(rank);
    *out = new libra_storage{allocator.allocate(static_cast<size_t>(bytes)), world->storages};
    world->storages->insert(*out);
  });
}

void libra_storage_release(libra_storage* storage) { storage->storage.reset(); }

void libra_storage_destroy(libra_storage* storage) {
  if (storage->storage) storage->storage->noteLeak();
  storage->siblings->erase(storage);
  delete storage;
}

libra_status libra_storage_zero(libra_storage* storage) {
  return guarded([&] {
    const auto memory = memoryOf({storage, 0}, 0, "storage");
    std::memset(memory.data, 0, memory.storage->bytes());
  });
}

libra_status libra_storage_write(libra_storage* storage, const void* data, int64_t count,
                                 int type) {
  return guarded([&] {
    const auto element = typeOf(type);
    const auto memory = memoryOf({storage, 0}, count * libra::elementBytes(element), "storage");
    libra::takeIn(element, data, memory.data, count);
  });
}

void libra_memory_statistics(libra_world* world, int rank, libra_memory* out) {
  const libra::MemoryStatistics now = world->world->allocator(rank).statistics();
  *out = {now.liveBytes,   now.liveBlocks, now.peakBytes, now.cachedBytes,
          now.allocations, now.reuses,     now.leaked};
}

void libra_memory_trim(libra_world* world, int rank) { world->world->allocator(rank).trim(); }

libra_status libra_stream_create(libra_world* world, int rank, const char* name,
                                 libra_stream** out) {
  return guarded([&] { *out = new libra_stream{world->world->stream(rank, name)}; });
}

void libra_stream_release(libra_stream* stream) { delete stream; }

libra_status libra_stream_record(libra_stream* stream, libra_event** out) {
  return guarded([&] { *out = new libra_event{stream->stream->record()}; });
}

void libra_event_release(libra_event* event) { delete event; }

libra_status libra_stream_wait(libra_stream* stream, libra_event* event) {
  return guarded([&] { stream->stream->wait(event->event); });
}

libra_status libra_stream_done(libra_stream* stream, libra_callback callback, void* data) {
  return guarded([&] {
    stream->stream->enqueue(
        std::make_unique<libra::Completion>("done", callbackOf(callback, data)));
  });
}

libra_status libra_stream_read(libra_stream* stream, libra_tensor tensor, int64_t count, int type,
                               void* target, libra_callback callback, void* data) {
  return guarded([&] {
    const auto element = typeOf(type);
    const auto memory = memoryOf(tensor, count * libra::elementBytes(element), "tensor");
    stream->stream->enqueue(std::make_unique<libra::Completion>(
        "read", callbackOf(callback, data),
        [memory, element, target, count] { libra::giveOut(element, memory.data, target, count); }));
  });
}

int libra_stream_timings(libra_stream* stream, libra_timing* out, int capacity) {
  int count = 0;
  for (const auto& [kind, timing] : stream->stream->timings()) {
    if (count < capacity) {
      out[count] = {kind.data(), timing.count, timing.wallMs, timing.cpuMs, timing.waitMs};
    }
    ++count;
  }
  return count;
}

void libra_stream_reset_timings(libra_stream* stream) { stream->stream->resetTimings(); }

}  // extern "C"
