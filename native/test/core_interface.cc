// The C interface from outside, as another binding would use it.
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "core_check.h"
#include "libra/libra.h"

namespace {

/// Waits for a callback.
class Arrival {
 public:
  static void callback(void* data, const libra_fault* fault) {
    auto* arrival = static_cast<Arrival*>(data);
    std::lock_guard lock(arrival->mutex_);
    arrival->code_ = fault == nullptr ? "" : fault->code;
    arrival->here_ = true;
    arrival->changed_.notify_all();
  }
  std::string code() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return here_; });
    return code_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool here_ = false;
  std::string code_;
};

struct Setting {
  Setting() : environment(libra_environment_create()) {
    CHECK(libra_world_create(environment, 1, 1000, 2, 0, 0, "", &world) == LIBRA_OK);
    CHECK(libra_stream_create(world, 0, "compute", &stream) == LIBRA_OK);
  }
  ~Setting() {
    libra_world_close(world);
    libra_stream_release(stream);
    libra_world_release(world);
    CHECK(libra_environment_drain(environment, 100) == 0);
    libra_environment_release(environment);
  }
  libra_storage* storage(int64_t bytes) {
    libra_storage* made = nullptr;
    CHECK(libra_storage_create(world, 0, bytes, &made) == LIBRA_OK);
    return made;
  }
  libra_environment* environment;
  libra_world* world = nullptr;
  libra_stream* stream = nullptr;
};

void operatorsRunAndAreRead() {
  Setting setting;
  libra_storage* storage = setting.storage(64);
  CHECK(libra_fill(setting.stream, {storage, 0}, 16, 1.5, LIBRA_FLOAT32) == LIBRA_OK);
  CHECK(libra_add(setting.stream, {storage, 0}, {storage, 0}, {storage, 32}, 8, LIBRA_FLOAT32) ==
        LIBRA_OK);
  std::vector<float> values(16);
  Arrival arrival;
  CHECK(libra_stream_read(setting.stream, {storage, 0}, 16, LIBRA_FLOAT32, values.data(),
                          Arrival::callback, &arrival) == LIBRA_OK);
  CHECK(arrival.code().empty());
  CHECK(values[7] == 1.5f && values[8] == 3.0f && values[15] == 3.0f);
  libra_timing timings[8];
  const int kinds = libra_stream_timings(setting.stream, timings, 8);
  CHECK(kinds >= 2);
  libra_memory memory;
  libra_memory_statistics(setting.world, 0, &memory);
  CHECK(memory.live_bytes == 64);
  libra_storage_release(storage);
  libra_storage_destroy(storage);
}

void whatReachesOutsideIsRefused() {
  Setting setting;
  libra_storage* storage = setting.storage(64);
  CHECK(libra_fill(setting.stream, {storage, 4}, 16, 0, LIBRA_FLOAT32) == LIBRA_FAILED);
  CHECK(std::string(libra_last_fault()->code) == "ARGUMENT");
  CHECK(std::string(libra_last_fault()->message) == "Expected 64 bytes for out but received 60");
  CHECK(libra_fill(setting.stream, {nullptr, 0}, 16, 0, LIBRA_FLOAT32) == LIBRA_FAILED);
  libra_storage_release(storage);
  CHECK(libra_fill(setting.stream, {storage, 0}, 1, 0, LIBRA_FLOAT32) == LIBRA_FAILED);
  CHECK(std::string(libra_last_fault()->code) == "STATE");
  libra_storage_destroy(storage);
  libra_world* none = nullptr;
  CHECK(libra_world_create(setting.environment, 1, 1000, 1, 0, 0, "sse", &none) == LIBRA_FAILED);
  CHECK(std::string(libra_last_fault()->code) == "ARGUMENT");
}

void bfloat16IsRoundedOnTheWayInAndWidenedOnTheWayOut() {
  Setting setting;
  libra_storage* narrow = setting.storage(10);
  libra_storage* wide = setting.storage(20);
  const std::vector<float> given{1.00390625f, 1.01171875f, 0.1f, -2.0f, 3.0f};
  const std::vector<float> rounded{1.0f, 1.015625f, 0.10009765625f, -2.0f, 3.0f};
  CHECK(libra_storage_write(narrow, given.data(), 5, LIBRA_BFLOAT16) == LIBRA_OK);
  CHECK(libra_storage_write(narrow, given.data(), 6, LIBRA_BFLOAT16) == LIBRA_FAILED);
  CHECK(libra_storage_write(narrow, given.data(), 1, 4) == LIBRA_FAILED);
  CHECK(libra_widen(setting.stream, {narrow, 0}, {wide, 0}, 5) == LIBRA_OK);
  CHECK(libra_fill(setting.stream, {narrow, 2}, 3, 0.1, LIBRA_BFLOAT16) == LIBRA_OK);
  CHECK(libra_fill(setting.stream, {narrow, 4}, 4, 0, LIBRA_BFLOAT16) == LIBRA_FAILED);
  std::vector<float> filled(5), widened(5);
  Arrival first, second;
  CHECK(libra_stream_read(setting.stream, {narrow, 0}, 5, LIBRA_BFLOAT16, filled.data(),
                          Arrival::callback, &first) == LIBRA_OK);
  CHECK(libra_stream_read(setting.stream, {wide, 0}, 5, LIBRA_FLOAT32, widened.data(),
                          Arrival::callback, &second) == LIBRA_OK);
  CHECK(first.code().empty() && second.code().empty());
  CHECK(widened == rounded);
  CHECK(filled == std::vector<float>({1.0f, rounded[2], rounded[2], rounded[2], 3.0f}));
  for (libra_storage* storage : {narrow, wide}) libra_storage_destroy(storage);
}

void aWrongIdFailsTheStreamOnly() {
  Setting setting;
  libra_storage* table = setting.storage(4 * 2 * 4);
  libra_storage* ids = setting.storage(4);
  libra_storage* out = setting.storage(8);
  const int32_t wrong = 4;
  CHECK(libra_storage_zero(table) == LIBRA_OK);
  CHECK(libra_storage_write(ids, &wrong, 1, LIBRA_INT32) == LIBRA_OK);
  CHECK(libra_embedding(setting.stream, {ids, 0}, {table, 0}, {out, 0}, 1, 4, 2, LIBRA_FLOAT32) ==
        LIBRA_OK);
  Arrival arrival;
  CHECK(libra_stream_done(setting.stream, Arrival::callback, &arrival) == LIBRA_OK);
  CHECK(arrival.code() == "RANK_FAILED");
  libra_fault fault;
  CHECK(libra_world_fault(setting.world, &fault) == 1);
  CHECK(std::string(fault.details).find("\"operation\":\"embedding\"") != std::string::npos);
  for (libra_storage* storage : {table, ids, out}) libra_storage_destroy(storage);
}

void closingFreesWhatIsLeft() {
  Setting setting;
  libra_storage* storage = setting.storage(4096);
  libra_world_close(setting.world);
  libra_memory memory;
  libra_memory_statistics(setting.world, 0, &memory);
  CHECK(memory.live_bytes == 0 && memory.cached_bytes == 0);
  CHECK(libra_fill(setting.stream, {storage, 0}, 1, 0, LIBRA_FLOAT32) == LIBRA_FAILED);
  libra_storage_destroy(storage);
  libra_memory_statistics(setting.world, 0, &memory);
  CHECK(memory.leaked == 0);
}

}  // namespace

int main() {
  return libra::test::runAll(operatorsRunAndAreRead, whatReachesOutsideIsRefused,
                             bfloat16IsRoundedOnTheWayInAndWidenedOnTheWayOut,
                             aWrongIdFailsTheStreamOnly, closingFreesWhatIsLeft);
}
