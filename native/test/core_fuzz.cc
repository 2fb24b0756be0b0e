#include <set>

#include "core_launch.h"

using namespace libra;
using namespace libra::test;

namespace {

/// The order in which three streams' operations ran.
std::string orderOf(uint64_t seed) {
  Launch launch({.size = 3, .fuzz = true, .seed = seed});
  std::string order;
  for (int rank = 0; rank < 3; ++rank) {
    for (int i = 0; i < 4; ++i) {
      launch.streams[rank]->enqueue(
          std::make_unique<Work>([&order, rank] { order += static_cast<char>('a' + rank); }));
    }
    launch.everybody[rank].barrier(*launch.streams[rank]);
    launch.streams[rank]->enqueue(
        std::make_unique<Work>([&order, rank] { order += static_cast<char>('A' + rank); }));
  }
  for (const Fault& fault : launch.finish()) CHECK(fault.code.empty());
  return order;
}

void aSeedGivesItsOrder() {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string order = orderOf(seed);
    CHECK(order == orderOf(seed));
    CHECK(order.size() == 15);
    // The barrier holds: small letters come first.
    CHECK(order.find_first_of("ABC") == 12);
    orders.insert(order);
  }
  CHECK(orders.size() > 10);
}

/// Two streams of one rank, the second reading what the first writes.
bool readsWhatWasWritten(uint64_t seed, bool waits) {
  Launch launch({.size = 1, .fuzz = true, .seed = seed});
  auto writer = launch.world->stream(0, "writer");
  int value = 0, seen = -1;
  writer->enqueue(std::make_unique<Work>([&value] { value = 1; }));
  const auto event = writer->record();
  if (waits) launch.streams[0]->wait(event);
  launch.streams[0]->enqueue(std::make_unique<Work>([&] { seen = value; }));
  CHECK(launch.finish()[0].code.empty());
  return seen == 1;
}

void aMissingWaitShowsForSomeSeed() {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CHECK(readsWhatWasWritten(seed, true));
    if (!readsWhatWasWritten(seed, false)) ++wrong;
  }
  CHECK(wrong > 5);
}

void aDeadlockListsWhatEachStreamWaitsFor() {
  Launch launch({.size = 2, .fuzz = true});
  launch.everybody[0].barrier(*launch.streams[0]);
  const auto fault = launch.finish()[0];
  CHECK(fault.code == "STATE");
  CHECK(contains(fault.message, "Deadlock"));
  CHECK(contains(fault.message, "rank 0, stream \"comm\": barrier #0"));
  CHECK(contains(fault.message, "waits for rank 1"));
}

}  // namespace

int main() {
  return runAll(aSeedGivesItsOrder, aMissingWaitShowsForSomeSeed,
                aDeadlockListsWhatEachStreamWaitsFor);
}
