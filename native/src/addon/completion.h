// Promises that a stream settles.
#pragma once

#include <napi.h>

namespace libra::addon {

Napi::Value streamDone(const Napi::CallbackInfo& info);
Napi::Value streamRead(const Napi::CallbackInfo& info);

}  // namespace libra::addon
