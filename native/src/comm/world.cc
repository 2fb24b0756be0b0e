#include "comm/world.h"

#include <algorithm>
#include <chrono>

#include "core/environment.h"

namespace libra {
namespace {

// A beat that comes later than this was held up by a busy JavaScript thread: the rest of the gap
// is not counted against peers.
constexpr double longestBeatMs = 100;

double nowMs() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// SplitMix64: the same choices for a seed everywhere.
uint64_t nextRandom(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

}  // namespace

std::shared_ptr<World> World::create(const std::shared_ptr<Environment>& environment,
                                     const WorldOptions& options) {
  std::shared_ptr<World> world(new World(environment, options));
  environment->add(world);
  return world;
}

World::World(const std::shared_ptr<Environment>& environment, const WorldOptions& options)
    : environment_(environment),
      options_(options),
      kernels_(options.instructionSet.empty() ? libra::kernels()
                                              : libra::kernels(options.instructionSet)),
      rendezvous_(*this, options.size, options.timeoutMs),
      random_(options.seed) {
  for (int rank = 0; rank < options.size; ++rank) {
    ranks_.push_back({std::make_unique<ThreadWorkers>(options.fuzz ? 1 : options.threads),
                      std::make_shared<Allocator>(options.fuzz)});
  }
}

std::shared_ptr<Stream> World::stream(int rank, const std::string& name) {
  if (rank < 0 || rank >= size()) {
    throw Error("ARGUMENT", "Expected a rank below " + std::to_string(size()) +
                                " for rank but received " + std::to_string(rank));
  }
  auto stream = std::make_shared<Stream>(shared_from_this(), rank, name, rendezvous_.nameId(name));
  bool closed;
  {
    std::lock_guard lock(mutex_);
    closed = closed_;
    if (!closed) streams_.push_back(stream);
  }
  if (closed) throw Error(afterClose());
  if (!options_.fuzz) stream->start();
  return stream;
}

std::vector<std::shared_ptr<Stream>> World::streams() const {
  std::lock_guard lock(mutex_);
  return streams_;
}

void World::fail(Fault fault) {
  {
    std::lock_guard lock(mutex_);
    if (fault_) return;
    fault_ = std::move(fault);
  }
  failed_.store(true, std::memory_order_release);
  for (const auto& stream : streams()) stream->wake();
}

std::optional<Fault> World::fault() const {
  std::lock_guard lock(mutex_);
  return fault_;
}

Fault World::victim() const {
  Fault fault = this->fault().value_or(Fault{"ABORTED", "The launch has ended"});
  if (fault.code == "RANK_FAILED") {
    fault.code = "ABORTED";
    fault.message = "Stopped by another rank's fault: " + fault.message;
  }
  return fault;
}

Fault World::afterClose() const {
  if (failed()) return victim();
  return {"STATE", "The launch has ended: its streams take no more operations"};
}

void World::beat() {
  double step = 0;
  {
    std::lock_guard lock(mutex_);
    const double now = nowMs();
    if (lastBeatMs_ > 0) step = std::min(now - lastBeatMs_, longestBeatMs);
    lastBeatMs_ = now;
  }
  if (auto fault = rendezvous_.advance(step)) {
    const std::string at = fronts();
    if (!at.empty()) fault->message += "\n" + at;
    fail(std::move(*fault));
  }
}

void World::returned(int rank) {
  if (auto fault = rendezvous_.returned(rank)) fail(std::move(*fault));
}

int World::drain() {
  const auto all = streams();
  std::vector<Stream*> ready;
  for (int ran = 0;; ++ran) {
    ready.clear();
    for (const auto& stream : all) {
      if (stream->offers()) ready.push_back(stream.get());
    }
    if (ready.empty()) return ran;
    Stream& picked = *ready[nextRandom(random_) % ready.size()];
    // Sometimes the awaiting rank goes on at once, sometimes the others run ahead of it.
    if (picked.step() && (nextRandom(random_) & 1) != 0) return ran + 1;
  }
}

void World::raiseDeadlock() {
  fail({"STATE", "Deadlock: every rank awaits and no operation can run\n" + fronts()});
}

std::string World::fronts() const {
  std::string text;
  for (const auto& stream : streams()) {
    const std::string front = stream->front();
    if (front.empty()) continue;
    if (!text.empty()) text += '\n';
    text += "  rank " + std::to_string(stream->rank()) + ", stream \"" + stream->name() +
            "\": " + front;
  }
  return text;
}

int World::queued() const {
  int total = 0;
  for (const auto& stream : streams()) total += stream->queued();
  return total;
}

bool World::moving() const {
  const auto all = streams();
  return std::any_of(all.begin(), all.end(), [](const auto& stream) { return stream->moving(); });
}

void World::close() {
  std::vector<std::shared_ptr<Stream>> ended;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    ended.swap(streams_);
  }
  for (const auto& stream : ended) {
    // Without a thread nobody else would tell the awaiting callers.
    while (options_.fuzz && stream->offers()) stream->step();
    stream->close();
  }
  // Collecting the handles may take JavaScript a while; the memory goes back now.
  for (const RankState& rank : ranks_) rank.allocator->close();
  threadEnded();
}

void World::threadEnded() {
  if (--threadsRunning_ == 0) rendezvous_.clear();
}

}  // namespace libra
