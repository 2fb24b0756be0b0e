// What stands behind the opaque handles of libra.h.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "comm/communicator.h"
#include "comm/world.h"
#include "core/environment.h"
#include "libra/libra.h"

struct libra_environment {
  std::shared_ptr<libra::Environment> environment;
};
/// Storage handles of a world. Handles are used by the enqueuing thread only.
using LibraStorages = std::unordered_set<libra_storage*>;
struct libra_world {
  std::shared_ptr<libra::World> world;
  std::shared_ptr<LibraStorages> storages = std::make_shared<LibraStorages>();
};
struct libra_stream {
  std::shared_ptr<libra::Stream> stream;
};
struct libra_event {
  std::shared_ptr<libra::Event> event;
};
struct libra_communicator {
  libra::Communicator communicator;
};
struct libra_storage {
  std::shared_ptr<libra::Storage> storage;
  std::shared_ptr<LibraStorages> siblings;
};
struct libra_block_list {
  std::shared_ptr<const libra::BlockList> list;
};
struct libra_vector_blocks {
  std::shared_ptr<const std::vector<libra::VectorBlock>> blocks;
  int64_t vectors;  // moved in total
  int64_t extent;   // vectors that the strided side must hold
};
struct libra_vector_runs {
  std::shared_ptr<const std::vector<libra::VectorRun>> runs;
  int64_t fromExtent;
  int64_t toExtent;
};
struct libra_segments {
  std::shared_ptr<const std::vector<libra::AttentionSegment>> segments;
  int64_t queryExtent;
  int64_t keyExtent;
};

namespace libra::api {

void keepFault(Fault fault);

/// Runs a body of the interface; no exception leaves it.
template <class Body>
libra_status guarded(Body body) {
  try {
    body();
    return LIBRA_OK;
  } catch (const Error& error) {
    keepFault(error.fault());
  } catch (const std::invalid_argument& error) {
    keepFault({"ARGUMENT", error.what()});
  } catch (const std::exception& error) {
    keepFault({"NATIVE", error.what()});
  }
  return LIBRA_FAILED;
}

/// The storage's bytes from the tensor's offset on; throws when fewer than `bytes` are there.
Memory memoryOf(const libra_tensor& tensor, int64_t bytes, const char* name);

/// Throws for a number that is none of libra.h's.
ElementType typeOf(int type);

inline std::vector<int64_t> values(const libra_column& column) {
  return {column.values, column.values + column.count};
}

/// Throws unless all columns have the first one's length, which it returns.
int64_t sameCount(std::initializer_list<std::pair<const char*, const libra_column*>> columns);

}  // namespace libra::api
