#include "addon/completion.h"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "addon/bind.h"

namespace libra::addon {
namespace {

struct Pending {
  Pending(Napi::Env env, size_t bytes)
      : data(dataOf(env)),
        deferred(Napi::Promise::Deferred::New(env)),
        bytes(bytes == 0 ? nullptr : new char[bytes]),
        byteLength(bytes) {}
  EnvironmentData& data;
  Napi::Promise::Deferred deferred;
  // Not a JavaScript buffer: the stream's thread writes it.
  std::unique_ptr<char[]> bytes;
  size_t byteLength;
  bool reads = false;
  std::optional<FaultCopy> fault;
};

void settle(Napi::Env env, Pending* pending) {
  const std::unique_ptr<Pending> owned(pending);
  try {
    if (pending->fault) {
      pending->deferred.Reject(errorOf(env, *pending->fault));
    } else if (pending->reads) {
      auto buffer = Napi::ArrayBuffer::New(env, pending->byteLength);
      if (pending->byteLength > 0) {
        std::memcpy(buffer.Data(), pending->bytes.get(), pending->byteLength);
      }
      pending->deferred.Resolve(buffer);
    } else {
      pending->deferred.Resolve(env.Undefined());
    }
  } catch (const Napi::Error&) {
    // A worker thread that is being terminated: nobody is left to be told.
  }
}

void onCompleted(void* given, const libra_fault* fault) {
  auto* pending = static_cast<Pending*>(given);
  if (fault != nullptr) pending->fault.emplace(*fault);
  if (std::this_thread::get_id() == pending->data.thread) {
    if (pending->data.environment == nullptr) {
      // The exit hook. The promise goes down with the environment.
      static_cast<void>(std::unique_ptr<Pending>(pending));
      return;
    }
    const Napi::Env env = pending->deferred.Env();
    const Napi::HandleScope scope(env);
    if (--pending->data.pending == 0) pending->data.completed.Unref(env);
    settle(env, pending);
    return;
  }
  const auto status = pending->data.completed.NonBlockingCall(
      pending, [](Napi::Env env, Napi::Function, Pending* arrived) {
        if (env == nullptr) {
          delete arrived;
          return;
        }
        if (--arrived->data.pending == 0) arrived->data.completed.Unref(env);
        settle(env, arrived);
      });
  if (status != napi_ok) delete pending;
}

/// The pending completion's promise, once `enqueue` has taken it.
template <class Enqueue>
Napi::Value awaiting(Napi::Env env, std::unique_ptr<Pending> pending, Enqueue enqueue) {
  const Napi::Value promise = pending->deferred.Promise();
  check(env, enqueue(pending.get()));
  EnvironmentData& data = pending->data;
  if (data.pending++ == 0) data.completed.Ref(env);
  pending.release();
  return promise;
}

}  // namespace

Napi::Value streamDone(const Napi::CallbackInfo& info) {
  auto* stream = unbox<libra_stream>(info[0]);
  return awaiting(info.Env(), std::make_unique<Pending>(info.Env(), 0), [&](Pending* pending) {
    return libra_stream_done(stream, onCompleted, pending);
  });
}

Napi::Value streamRead(const Napi::CallbackInfo& info) {
  Reader reader(info);
  auto* stream = reader.take<libra_stream*>();
  const auto tensor = reader.take<libra_tensor>();
  const auto count = reader.take<int64_t>();
  const int type = reader.take<int>();
  const int64_t bytes = count * libra_wide_bytes(type);
  auto pending = std::make_unique<Pending>(info.Env(), static_cast<size_t>(bytes));
  pending->reads = true;
  return awaiting(info.Env(), std::move(pending), [&](Pending* waiting) {
    return libra_stream_read(stream, tensor, count, type, waiting->bytes.get(), onCompleted,
                             waiting);
  });
}

}  // namespace libra::addon
