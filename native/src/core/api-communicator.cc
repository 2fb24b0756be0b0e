// Communicators and collectives behind libra.h.
#include "core/api.h"

using libra::Error;
using libra::api::guarded;
using libra::api::memoryOf;
using libra::api::typeOf;
using libra::api::values;

namespace {

std::vector<libra::Memory> memories(const libra_tensor* tensors, const int64_t* bytes, int count,
                                    const char* name) {
  std::vector<libra::Memory> result;
  for (int i = 0; i < count; ++i) result.push_back(memoryOf(tensors[i], bytes[i], name));
  return result;
}

}  // namespace

extern "C" {

libra_status libra_communicator_create(libra_world* world, const char* key, libra_column ranks,
                                       int rank, libra_communicator** out) {
  return guarded([&] {
    std::vector<int> members;
    for (const int64_t member : values(ranks)) members.push_back(static_cast<int>(member));
    *out = new libra_communicator{{world->world, key, std::move(members), rank}};
  });
}

void libra_communicator_release(libra_communicator* communicator) { delete communicator; }

libra_status libra_all_reduce(libra_communicator* communicator, libra_stream* stream,
                              libra_tensor tensor, int64_t count, int type) {
  return guarded([&] {
    const auto element = typeOf(type);
    communicator->communicator.allReduce(
        *stream->stream, memoryOf(tensor, count * libra::elementBytes(element), "tensor"), element);
  });
}

libra_status libra_reduce_scatter(libra_communicator* communicator, libra_stream* stream,
                                  libra_tensor input, libra_tensor output, int64_t output_count,
                                  int type) {
  return guarded([&] {
    const auto element = typeOf(type);
    const int64_t bytes = output_count * libra::elementBytes(element);
    const auto& ranks = communicator->communicator;
    ranks.reduceScatter(*stream->stream, memoryOf(input, bytes * ranks.size(), "input"),
                        memoryOf(output, bytes, "output"), element);
  });
}

libra_status libra_all_gather(libra_communicator* communicator, libra_stream* stream,
                              libra_tensor input, libra_tensor output, int64_t input_bytes) {
  return guarded([&] {
    const auto& ranks = communicator->communicator;
    ranks.allGather(*stream->stream, memoryOf(input, input_bytes, "input"),
                    memoryOf(output, input_bytes * ranks.size(), "output"));
  });
}

libra_status libra_broadcast(libra_communicator* communicator, libra_stream* stream,
                             libra_tensor tensor, int64_t bytes, int root) {
  return guarded([&] {
    communicator->communicator.broadcast(*stream->stream, memoryOf(tensor, bytes, "tensor"), root);
  });
}

libra_status libra_barrier(libra_communicator* communicator, libra_stream* stream) {
  return guarded([&] { communicator->communicator.barrier(*stream->stream); });
}

libra_status libra_block_list_create(libra_column peer_offsets, libra_column buffer,
                                     libra_column offset, libra_column rows, libra_column stride,
                                     libra_column width, libra_block_list** out) {
  return guarded([&] {
    const int64_t count = libra::api::sameCount({{"buffer", &buffer},
                                                 {"offset", &offset},
                                                 {"rows", &rows},
                                                 {"stride", &stride},
                                                 {"width", &width}});
    std::vector<libra::Block> blocks(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      if (buffer.values[i] < 0 || buffer.values[i] > 255) {
        throw Error("ARGUMENT", "Expected a buffer of 0 to 255 for block " + std::to_string(i));
      }
      blocks[i] = {offset.values[i], rows.values[i], stride.values[i], width.values[i],
                   static_cast<int>(buffer.values[i])};
    }
    *out = new libra_block_list{
        std::make_shared<libra::BlockList>(values(peer_offsets), std::move(blocks))};
  });
}

void libra_block_list_release(libra_block_list* list) { delete list; }

libra_status libra_exchange(libra_communicator* communicator, libra_stream* stream,
                            const libra_transfer* transfers, int count) {
  return guarded([&] {
    std::vector<libra::Transfer> all;
    for (int i = 0; i < count; ++i) {
      const libra_transfer& given = transfers[i];
      all.push_back({given.send->list, given.receive->list,
                     memories(given.sources, given.source_bytes, given.source_count, "sources"),
                     memories(given.destinations, given.destination_bytes, given.destination_count,
                              "destinations"),
                     given.vector_bytes});
    }
    communicator->communicator.exchange(*stream->stream, std::move(all));
  });
}

}  // extern "C"
