// Functions of libra.h whose arguments or results are structures.
#pragma once

#include <napi.h>

namespace libra::addon {

Napi::Value worldFault(const Napi::CallbackInfo& info);
Napi::Value storageWrite(const Napi::CallbackInfo& info);
Napi::Value memoryStatistics(const Napi::CallbackInfo& info);
Napi::Value streamTimings(const Napi::CallbackInfo& info);
Napi::Value exchange(const Napi::CallbackInfo& info);

}  // namespace libra::addon
