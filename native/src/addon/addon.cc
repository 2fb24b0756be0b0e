// The Node-API addon: libra.h name for name, in camel case.
#include <napi.h>

#include "addon/bind.h"
#include "addon/completion.h"
#include "addon/environment.h"
#include "addon/structures.h"

namespace libra::addon {
namespace {

Napi::Value setErrorClass(const Napi::CallbackInfo& info) {
  auto& errorClass = dataOf(info.Env()).errorClass;
  errorClass = Napi::Persistent(info[0].As<Napi::Function>());
  errorClass.SuppressDestruct();
  return info.Env().Undefined();
}

}  // namespace

static Napi::Object bindAll(Napi::Env env, Napi::Object exports) {
  setUp(env);
  const auto add = [&](const char* name, auto function) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
#define LIBRA_BIND(name, function) \
  exports.Set(name, Napi::Function::New<&Bound<&function>::call>(env, name))

  add("setErrorClass", setErrorClass);
  LIBRA_BIND("instructionSets", libra_instruction_sets);
  LIBRA_BIND("bfloat16Products", libra_bfloat16_products);
  LIBRA_BIND("peakFloat", libra_peak_float);
  LIBRA_BIND("peakBfloat16", libra_peak_bfloat16);
  LIBRA_BIND("copyBandwidth", libra_copy_bandwidth);

  LIBRA_BIND("environmentDrain", libra_environment_drain);
  LIBRA_BIND("worldCreate", libra_world_create);
  LIBRA_BIND("worldRowBlock", libra_world_row_block);
  LIBRA_BIND("worldInstructionSet", libra_world_instruction_set);
  LIBRA_BIND("worldBeat", libra_world_beat);
  LIBRA_BIND("worldFail", libra_world_fail);
  add("worldFault", worldFault);
  LIBRA_BIND("worldReturned", libra_world_returned);
  LIBRA_BIND("worldDrain", libra_world_drain);
  LIBRA_BIND("worldDeadlock", libra_world_deadlock);
  LIBRA_BIND("worldQueued", libra_world_queued);
  LIBRA_BIND("worldClose", libra_world_close);

  LIBRA_BIND("storageCreate", libra_storage_create);
  LIBRA_BIND("storageRelease", libra_storage_release);
  LIBRA_BIND("storageZero", libra_storage_zero);
  add("storageWrite", storageWrite);
  add("memoryStatistics", memoryStatistics);
  LIBRA_BIND("memoryTrim", libra_memory_trim);

  LIBRA_BIND("streamCreate", libra_stream_create);
  LIBRA_BIND("streamRecord", libra_stream_record);
  LIBRA_BIND("streamWait", libra_stream_wait);
  add("streamDone", streamDone);
  add("streamRead", streamRead);
  add("streamTimings", streamTimings);
  LIBRA_BIND("streamResetTimings", libra_stream_reset_timings);

  LIBRA_BIND("communicatorCreate", libra_communicator_create);
  LIBRA_BIND("allReduce", libra_all_reduce);
  LIBRA_BIND("reduceScatter", libra_reduce_scatter);
  LIBRA_BIND("allGather", libra_all_gather);
  LIBRA_BIND("broadcast", libra_broadcast);
  LIBRA_BIND("barrier", libra_barrier);
  LIBRA_BIND("blockListCreate", libra_block_list_create);
  add("exchange", exchange);

  LIBRA_BIND("linear", libra_linear);
  LIBRA_BIND("linearBackwardInput", libra_linear_backward_input);
  LIBRA_BIND("linearBackwardWeight", libra_linear_backward_weight);
  LIBRA_BIND("rmsNorm", libra_rms_norm);
  LIBRA_BIND("rmsNormBackward", libra_rms_norm_backward);
  LIBRA_BIND("rope", libra_rope);
  LIBRA_BIND("swiglu", libra_swiglu);
  LIBRA_BIND("swigluBackward", libra_swiglu_backward);
  LIBRA_BIND("embedding", libra_embedding);
  LIBRA_BIND("embeddingBackward", libra_embedding_backward);
  LIBRA_BIND("crossEntropy", libra_cross_entropy);
  LIBRA_BIND("crossEntropyBackward", libra_cross_entropy_backward);
  LIBRA_BIND("add", libra_add);
  LIBRA_BIND("scale", libra_scale);
  LIBRA_BIND("fill", libra_fill);
  LIBRA_BIND("copy", libra_copy);
  LIBRA_BIND("narrow", libra_narrow);
  LIBRA_BIND("widen", libra_widen);
  LIBRA_BIND("sumSquares", libra_sum_squares);
  LIBRA_BIND("clipFactor", libra_clip_factor);
  LIBRA_BIND("adamW", libra_adam_w);

  LIBRA_BIND("segmentsCreate", libra_segments_create);
  LIBRA_BIND("attentionForward", libra_attention_forward);
  LIBRA_BIND("attentionBackward", libra_attention_backward);
  LIBRA_BIND("attentionDelta", libra_attention_delta);
  LIBRA_BIND("mergePartials", libra_merge_partials);

  LIBRA_BIND("vectorRunsCreate", libra_vector_runs_create);
  LIBRA_BIND("accumulateVectors", libra_accumulate_vectors);
  LIBRA_BIND("vectorBlocksCreate", libra_vector_blocks_create);
  LIBRA_BIND("gatherVectors", libra_gather_vectors);
  LIBRA_BIND("scatterVectors", libra_scatter_vectors);
#undef LIBRA_BIND
  return exports;
}

}  // namespace libra::addon

static Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  return libra::addon::bindAll(env, exports);
}

NODE_API_MODULE(libra_runtime, initialize)
