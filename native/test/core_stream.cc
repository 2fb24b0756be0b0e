#include "core/stream.h"
#include "core_launch.h"

using namespace libra;
using namespace libra::test;

namespace {

void operationsRunInOrder() {
  Launch launch({.size = 1});
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    launch.streams[0]->enqueue(std::make_unique<Work>([&order, i] { order.push_back(i); }));
  }
  CHECK(launch.finish()[0].code.empty());
  CHECK(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[i] == i);
  const auto timings = launch.streams[0]->timings();
  CHECK(timings.at("work").count == 100);
  launch.streams[0]->resetTimings();
  CHECK(launch.streams[0]->timings().empty());
}

void eventsOrderStreams() {
  Launch launch({.size = 1});
  auto other = launch.world->stream(0, "other");
  int value = 0;
  for (int round = 0; round < 200; ++round) {
    other->enqueue(std::make_unique<Work>([&value] { ++value; }));
    launch.streams[0]->wait(other->record());
    launch.streams[0]->enqueue(std::make_unique<Work>([&value] { value *= 2; }));
    other->wait(launch.streams[0]->record());
    other->enqueue(std::make_unique<Work>([&value] { value %= 1000; }));
    launch.streams[0]->wait(other->record());
  }
  CHECK(launch.finish()[0].code.empty());
  int expected = 0;
  for (int round = 0; round < 200; ++round) expected = (expected + 1) * 2 % 1000;
  CHECK(value == expected);
}

void theFirstErrorSticksAndNamesItsPlace() {
  Launch launch({.size = 2});
  auto other = launch.world->stream(0, "other");
  bool ran = false;
  launch.streams[0]->enqueue(std::make_unique<Work>([] { throw std::runtime_error("no luck"); }));
  launch.streams[0]->enqueue(std::make_unique<Work>([&] { ran = true; }));
  other->wait(launch.streams[0]->record());
  other->enqueue(std::make_unique<Work>([&] { ran = true; }));
  launch.everybody[1].barrier(*launch.streams[1]);
  const auto faults = launch.finish();
  CHECK(!ran);
  CHECK(faults[0].code == "RANK_FAILED");
  CHECK(contains(faults[0].message, "Rank 0 failed in work on stream \"comm\": no luck"));
  CHECK(contains(faults[0].details, "\"operation\":\"work\""));
  CHECK(faults[1].code == "ABORTED");
  CHECK(contains(faults[1].message, "no luck"));
  CHECK(launch.world->fault()->code == "RANK_FAILED");
}

void aClosedWorldTakesNothing() {
  Launch launch({.size = 1});
  auto stream = launch.streams[0];
  launch.world->close();
  bool refused = false;
  try {
    stream->record();
  } catch (const Error& error) {
    refused = error.fault().code == "STATE";
  }
  CHECK(refused);
}

void theEnvironmentDrainsWhatCanRun() {
  auto environment = std::make_shared<Environment>();
  std::atomic<int> ran{0};
  int dropped;
  {
    auto world = World::create(environment, {.size = 2});
    auto busy = world->stream(0, "busy");
    for (int i = 0; i < 20; ++i) {
      busy->enqueue(std::make_unique<Work>([&ran] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ++ran;
      }));
    }
    // A peer that never comes: this can only be dropped.
    Communicator everybody(world, "world", {0, 1}, 0);
    everybody.barrier(*world->stream(0, "comm"));
    dropped = environment->close(5000);
  }
  CHECK(ran == 20);
  CHECK(dropped == 1);
  CHECK(environment->threads() == 0);
}

void environmentsDoNotTouchEachOther() {
  Launch living({.size = 1});
  {
    Launch ending({.size = 1});
    ending.streams[0]->enqueue(std::make_unique<Work>([] {}));
  }
  bool ran = false;
  living.streams[0]->enqueue(std::make_unique<Work>([&ran] { ran = true; }));
  CHECK(living.finish()[0].code.empty());
  CHECK(ran);
}

}  // namespace

int main() {
  return runAll(operationsRunInOrder, eventsOrderStreams, theFirstErrorSticksAndNamesItsPlace,
                aClosedWorldTakesNothing, theEnvironmentDrainsWhatCanRun,
                environmentsDoNotTouchEachOther);
}
