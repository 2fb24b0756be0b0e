#include "core_launch.h"

using namespace libra;
using namespace libra::test;

namespace {

std::vector<float> valuesOf(int rank, int count) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<float>(rank + 1) * 0.1f + i * 0.01f;
  return values;
}

std::vector<float> sumInRankOrder(int size, int count) {
  std::vector<float> sums = valuesOf(0, count);
  for (int rank = 1; rank < size; ++rank) {
    const auto values = valuesOf(rank, count);
    for (int i = 0; i < count; ++i) sums[i] += values[i];
  }
  return sums;
}

void collectivesOf(WorldOptions options, int count) {
  const int size = options.size;
  Launch launch(options);
  std::vector<Memory> reduced, gathered, scattered, parts, spread;
  const auto rankOrder = sumInRankOrder(size, count * size);
  for (int rank = 0; rank < size; ++rank) {
    Stream& stream = *launch.streams[rank];
    const Communicator& everybody = launch.everybody[rank];
    reduced.push_back(launch.memory(rank, valuesOf(rank, count * size)));
    gathered.push_back(launch.memory(rank, std::vector<float>(count * size)));
    parts.push_back(launch.memory(rank, valuesOf(rank, count)));
    scattered.push_back(launch.memory(rank, std::vector<float>(count)));
    spread.push_back(launch.memory(rank, valuesOf(rank, count)));
    everybody.reduceScatter(stream, reduced[rank], scattered[rank], ElementType::float32);
    everybody.allReduce(stream, reduced[rank], ElementType::float32);
    everybody.barrier(stream);
    everybody.allGather(stream, parts[rank], gathered[rank]);
    everybody.broadcast(stream, spread[rank], size - 1);
  }
  for (const Fault& fault : launch.finish()) CHECK(fault.code.empty());
  for (int rank = 0; rank < size; ++rank) {
    CHECK(floats(reduced[rank]) == rankOrder);
    CHECK(floats(scattered[rank]) == std::vector<float>(rankOrder.begin() + rank * count,
                                                        rankOrder.begin() + (rank + 1) * count));
    CHECK(floats(spread[rank]) == valuesOf(size - 1, count));
    for (int peer = 0; peer < size; ++peer) {
      const auto all = floats(gathered[rank]);
      CHECK(std::vector<float>(all.begin() + peer * count, all.begin() + (peer + 1) * count) ==
            valuesOf(peer, count));
    }
  }
}

void allSizesGiveTheRankOrderSum() {
  for (const int size : {1, 2, 3, 5}) {
    for (const int count : {0, 1, 7, 3000}) {
      collectivesOf({.size = size}, count);
      collectivesOf({.size = size, .fuzz = true, .seed = static_cast<uint64_t>(count)}, count);
    }
  }
}

void bfloat16IsSummedInFloat32AndRoundedOnce() {
  Launch launch({.size = 5});
  std::vector<Memory> tensors;
  for (int rank = 0; rank < 5; ++rank) {
    tensors.push_back(launch.memory(rank, std::vector<float>(2)));
    auto* elements = reinterpret_cast<Bfloat16*>(tensors[rank].data);
    for (int i = 0; i < 4; ++i) elements[i] = narrowed(rank == 0 ? 256.0f : 0.5f);
    launch.everybody[rank].allReduce(*launch.streams[rank], tensors[rank], ElementType::bfloat16);
  }
  for (const Fault& fault : launch.finish()) CHECK(fault.code.empty());
  for (const Memory& tensor : tensors) {
    const auto* elements = reinterpret_cast<const Bfloat16*>(tensor.data);
    for (int i = 0; i < 4; ++i) CHECK(widened(elements[i]) == 258.0f);
  }
}

void otherTypesAreAMismatchForEveryone() {
  Launch launch({.size = 2});
  for (int rank = 0; rank < 2; ++rank) {
    launch.everybody[rank].allReduce(*launch.streams[rank], launch.memory(rank, {1, 2}),
                                     rank == 0 ? ElementType::float32 : ElementType::bfloat16);
  }
  for (const Fault& fault : launch.finish()) {
    CHECK(fault.code == "MISMATCH");
    CHECK(contains(fault.message, "8 bytes of float32"));
    CHECK(contains(fault.message, "8 bytes of bfloat16"));
  }
}

void otherSizesAreAMismatchForEveryone() {
  Launch launch({.size = 3});
  for (int rank = 0; rank < 3; ++rank) {
    launch.everybody[rank].allReduce(*launch.streams[rank],
                                     launch.memory(rank, std::vector<float>(rank == 1 ? 8 : 4)),
                                     ElementType::float32);
  }
  for (const Fault& fault : launch.finish()) {
    CHECK(fault.code == "MISMATCH");
    CHECK(contains(fault.message, "allReduce #0 of ranks {0, 1, 2}"));
  }
}

void otherCallsAreAMismatchForEveryone() {
  Launch launch({.size = 2});
  launch.everybody[0].barrier(*launch.streams[0]);
  launch.everybody[1].allReduce(*launch.streams[1], launch.memory(1, {1}), ElementType::float32);
  for (const Fault& fault : launch.finish()) CHECK(fault.code == "MISMATCH");
}

void anotherOrderOfCommunicatorsIsReported() {
  for (const bool fuzz : {false, true}) {
    Launch launch({.size = 3, .fuzz = fuzz});
    // A ring of three: each communicator's members wait in the next one.
    const std::vector<std::vector<int>> pairs{{0, 1}, {1, 2}, {2, 0}};
    for (int rank = 0; rank < 3; ++rank) {
      for (const int pair : {rank, (rank + 2) % 3}) {
        const auto& ranks = pairs[pair];
        const int place = ranks[0] == rank ? 0 : 1;
        Communicator(launch.world, "pair" + std::to_string(pair), ranks, place)
            .barrier(*launch.streams[rank]);
      }
    }
    for (const Fault& fault : launch.finish()) {
      CHECK(fault.code == "MISMATCH");
      CHECK(contains(fault.message, "Order mismatch at seq 0"));
    }
  }
}

void aPeerThatDoesNotComeIsATimeout() {
  Launch launch({.size = 3, .timeoutMs = 60});
  launch.everybody[0].barrier(*launch.streams[0]);
  launch.everybody[2].barrier(*launch.streams[2]);
  for (const Fault& fault : launch.finish()) {
    if (fault.code.empty()) continue;  // rank 1 had nothing to do
    CHECK(fault.code == "TIMEOUT");
    CHECK(contains(fault.message, "never arrived: rank 1"));
  }
  CHECK(launch.world->failed());
}

void withoutBeatsThereIsNoTimeout() {
  // Long enough that a loaded machine does not starve the beats of finish().
  Launch launch({.size = 2, .timeoutMs = 1000});
  launch.everybody[0].barrier(*launch.streams[0]);
  launch.world->beat();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // JavaScript is busy
  CHECK(!launch.world->failed());
  launch.everybody[1].barrier(*launch.streams[1]);
  for (const Fault& fault : launch.finish()) CHECK(fault.code.empty());
}

void aRankThatReturnedIsReportedAtOnce() {
  Launch launch({.size = 2});
  launch.everybody[0].barrier(*launch.streams[0]);
  launch.everybody[1].barrier(*launch.streams[1]);
  launch.everybody[0].barrier(*launch.streams[0]);
  launch.world->returned(1);
  const auto fault = launch.finish()[0];
  CHECK(contains(fault.message, "Rank 1 returned without joining barrier #1"));
}

}  // namespace

int main() {
  return runAll(allSizesGiveTheRankOrderSum, bfloat16IsSummedInFloat32AndRoundedOnce,
                otherTypesAreAMismatchForEveryone, otherSizesAreAMismatchForEveryone,
                otherCallsAreAMismatchForEveryone, anotherOrderOfCommunicatorsIsReported,
                aPeerThatDoesNotComeIsATimeout, withoutBeatsThereIsNoTimeout,
                aRankThatReturnedIsReportedAtOnce);
}
