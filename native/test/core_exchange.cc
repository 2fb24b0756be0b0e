#include <random>

#include "core_launch.h"

using namespace libra;
using namespace libra::test;

namespace {

/// Lists that move `counts[from][to]` vectors between ranks: sent one after another from the start
/// of the source, received in reverse order of peers, in blocks of a width of the receiver's own.
struct Pattern {
  std::vector<std::shared_ptr<const BlockList>> send, receive;
  std::vector<int64_t> sent, received;
};

Pattern patternOf(const std::vector<std::vector<int64_t>>& counts, std::mt19937& random) {
  const int size = static_cast<int>(counts.size());
  Pattern pattern;
  for (int rank = 0; rank < size; ++rank) {
    std::vector<int64_t> offsets{0};
    std::vector<Block> blocks;
    int64_t at = 0;
    for (int peer = 0; peer < size; ++peer) {
      blocks.push_back({at, counts[rank][peer], 1, 1, 0});
      at += counts[rank][peer];
      offsets.push_back(static_cast<int64_t>(blocks.size()));
    }
    pattern.sent.push_back(at);
    pattern.send.push_back(std::make_shared<BlockList>(offsets, blocks));

    // Every second vector of the destination, so that blocks of one vector are strided.
    std::vector<int64_t> bases(size);
    at = 0;
    for (int peer = size - 1; peer >= 0; --peer) {
      bases[peer] = at;
      at += 2 * counts[peer][rank];
    }
    pattern.received.push_back(at);
    offsets = {0};
    blocks.clear();
    for (int peer = 0; peer < size; ++peer) {
      int64_t left = counts[peer][rank], base = bases[peer];
      while (left > 0) {
        const int64_t rows = std::min<int64_t>(left, 1 + random() % 4);
        blocks.push_back({base, rows, 2, 1, 0});
        base += 2 * rows;
        left -= rows;
      }
      offsets.push_back(static_cast<int64_t>(blocks.size()));
    }
    pattern.receive.push_back(std::make_shared<BlockList>(offsets, blocks));
  }
  return pattern;
}

constexpr int width = 3;

std::vector<float> numbered(int rank, int64_t vectors) {
  std::vector<float> values(vectors * width);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(rank * 1000 + i);
  return values;
}

void exchangeOf(WorldOptions options, const std::vector<std::vector<int64_t>>& counts,
                std::mt19937& random) {
  const int size = options.size;
  Launch launch(options);
  const Pattern pattern = patternOf(counts, random);
  std::vector<Memory> sources, destinations;
  for (int rank = 0; rank < size; ++rank) {
    sources.push_back(launch.memory(rank, numbered(rank, pattern.sent[rank])));
    destinations.push_back(
        launch.memory(rank, std::vector<float>(pattern.received[rank] * width, -1)));
    launch.everybody[rank].exchange(*launch.streams[rank],
                                    {{pattern.send[rank],
                                      pattern.receive[rank],
                                      {sources[rank]},
                                      {destinations[rank]},
                                      width * static_cast<int64_t>(sizeof(float))}});
  }
  for (const Fault& fault : launch.finish()) CHECK(fault.code.empty());
  for (int rank = 0; rank < size; ++rank) {
    const auto got = floats(destinations[rank]);
    int64_t base = 0;
    for (int peer = size - 1; peer >= 0; --peer) {
      int64_t from = 0;
      for (int before = 0; before < rank; ++before) from += counts[peer][before];
      for (int64_t i = 0; i < counts[peer][rank]; ++i) {
        for (int lane = 0; lane < width; ++lane) {
          CHECK(got[(base + 2 * i) * width + lane] ==
                static_cast<float>(peer * 1000 + (from + i) * width + lane));
          CHECK(got[(base + 2 * i + 1) * width + lane] == -1);
        }
      }
      base += 2 * counts[peer][rank];
    }
  }
}

void randomExchangesArrive() {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const int size = 1 + static_cast<int>(random() % 5);
    std::vector<std::vector<int64_t>> counts(size, std::vector<int64_t>(size));
    for (auto& row : counts) {
      for (auto& count : row) count = random() % 3 == 0 ? 0 : random() % 20;
    }
    exchangeOf({.size = size}, counts, random);
    exchangeOf({.size = size, .fuzz = true, .seed = static_cast<uint64_t>(round)}, counts, random);
  }
}

void oneSidedCountsFailOnEveryRank() {
  for (const bool fuzz : {false, true}) {
    Launch launch({.size = 4, .fuzz = fuzz});
    for (int rank = 0; rank < 4; ++rank) {
      const auto list = [](int64_t to, int64_t vectors) {
        std::vector<int64_t> offsets{0};
        std::vector<Block> blocks;
        for (int peer = 0; peer < 4; ++peer) {
          if (peer == to) blocks.push_back({0, vectors, 1, 1, 0});
          offsets.push_back(static_cast<int64_t>(blocks.size()));
        }
        return std::make_shared<BlockList>(offsets, blocks);
      };
      launch.everybody[rank].exchange(*launch.streams[rank],
                                      {{list(rank == 0 ? 2 : -1, 16),
                                        list(-1, 0),
                                        {launch.memory(rank, std::vector<float>(16))},
                                        {launch.memory(rank, std::vector<float>(16))},
                                        4}});
    }
    for (const Fault& fault : launch.finish()) {
      CHECK(fault.code == "MISMATCH");
      CHECK(contains(fault.message, "rank 0 sends 64 bytes to rank 2, which expects 0"));
      CHECK(contains(fault.details, "\"source\":0"));
      CHECK(contains(fault.details, "\"destination\":2"));
    }
  }
}

void listsOutsideTheirTensorsAreRefused() {
  Launch launch({.size = 1});
  auto list =
      std::make_shared<BlockList>(std::vector<int64_t>{0, 1}, std::vector<Block>{{3, 2, 4, 2, 0}});
  CHECK(list->extents()[0] == 9);
  bool refused = false;
  try {
    launch.everybody[0].exchange(
        *launch.streams[0],
        {{list, list, {launch.memory(0, std::vector<float>(8))}, {launch.memory(0, {})}, 4}});
  } catch (const Error& error) {
    refused = error.fault().code == "ARGUMENT" && contains(error.what(), "at least 36 bytes");
  }
  CHECK(refused);
}

}  // namespace

int main() {
  return runAll(randomExchangesArrive, oneSidedCountsFailOnEveryRank,
                listsOutsideTheirTensorsAreRefused);
}
