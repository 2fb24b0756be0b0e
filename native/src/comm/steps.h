// The operations that a collective call is made of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/rendezvous.h"
#include "comm/world.h"

namespace libra {

class Post final : public Operation {
 public:
  Post(World& world, std::shared_ptr<Ticket> ticket)
      : Operation(ticket->operation), world_(world), ticket_(std::move(ticket)) {}
  void run() override { world_.rendezvous().post(ticket_); }
  std::string describe() const override { return ticket_->describe() + " (post)"; }

 private:
  World& world_;
  std::shared_ptr<Ticket> ticket_;
};

/// Reads what peers have posted, then lets the peers in `from` know.
class Step final : public Operation {
 public:
  using Action = std::function<void(const Ticket& mine)>;
  Step(World& world, std::shared_ptr<Ticket> ticket, int need, std::vector<int> from, Action action)
      : Operation(ticket->operation, false),
        world_(world),
        ticket_(std::move(ticket)),
        need_(need),
        from_(std::move(from)),
        action_(std::move(action)) {}
  bool ready(const SignalRef& signal) override {
    return world_.rendezvous().ready(ticket_, need_, signal);
  }
  void run() override {
    action_(*ticket_);
    for (const int peer : from_) world_.rendezvous().doneReading(*ticket_, peer);
  }
  std::string describe() const override {
    return ticket_->describe() + " (" + world_.rendezvous().missing(*ticket_) + ")";
  }

 private:
  World& world_;
  std::shared_ptr<Ticket> ticket_;
  int need_;
  std::vector<int> from_;
  Action action_;
};

class Finish final : public Operation {
 public:
  Finish(World& world, std::shared_ptr<Ticket> ticket)
      : Operation(ticket->operation, false), world_(world), ticket_(std::move(ticket)) {}
  bool ready(const SignalRef& signal) override {
    return world_.rendezvous().ready(ticket_, allRead, signal);
  }
  void run() override { world_.rendezvous().leave(*ticket_); }
  std::string describe() const override {
    return ticket_->describe() + " (" + world_.rendezvous().missing(*ticket_) + ")";
  }

 private:
  World& world_;
  std::shared_ptr<Ticket> ticket_;
};

}  // namespace libra
