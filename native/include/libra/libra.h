/* C interface of Libra's native core.
 *
 * An environment owns worlds; a world is the ranks of one launch; a rank has memory, compute
 * threads and streams; operations are enqueued on a stream and never block the caller.
 *
 *   libra_environment* environment = libra_environment_create();
 *   libra_world* world;
 *   libra_world_create(environment, 1, 30000, 2, 0, 0, "", &world);
 *   libra_stream* stream;
 *   libra_stream_create(world, 0, "compute", &stream);
 *   libra_storage* storage;
 *   libra_storage_create(world, 0, 4096, &storage);
 *   libra_fill(stream, (libra_tensor){storage, 0}, 1024, 1.5, LIBRA_FLOAT32);
 *   libra_stream_done(stream, callback, data);     // called on the stream's thread
 *
 * A function that returns LIBRA_FAILED has left in libra_last_fault() what went wrong (per thread).
 * The checks here keep memory safe; shapes are checked above. Element counts are elements, offsets
 * of tensors are bytes, other offsets are vectors.
 *
 * packages/runtime/scripts/check-bindings.mjs reads this file: functions marked "C only" have no
 * counterpart in the addon; the others have one of the same name and parameters in camel case. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum libra_status { LIBRA_OK = 0, LIBRA_FAILED = 1 } libra_status;
typedef struct libra_environment libra_environment;
typedef struct libra_world libra_world;
typedef struct libra_stream libra_stream;
typedef struct libra_event libra_event;
typedef struct libra_communicator libra_communicator;
typedef struct libra_storage libra_storage;
typedef struct libra_block_list libra_block_list;
typedef struct libra_vector_blocks libra_vector_blocks;
typedef struct libra_vector_runs libra_vector_runs;
typedef struct libra_segments libra_segments;

/* A place in a storage; storage NULL: not given. */
typedef struct libra_tensor {
  libra_storage* storage;
  int64_t offset; /* bytes */
} libra_tensor;

/* Strings live until the next call on the same thread. details is a JSON object. */
typedef struct libra_fault {
  const char* code;
  const char* message;
  const char* details;
} libra_fault;

typedef struct libra_memory {
  int64_t live_bytes;
  int64_t live_blocks;
  int64_t peak_bytes;
  int64_t cached_bytes;
  int64_t allocations;
  int64_t reuses;
  int64_t leaked;
} libra_memory;

typedef struct libra_timing {
  const char* kind;
  int64_t count;
  double wall_ms;
  double cpu_ms;
  double wait_ms;
} libra_timing;

/* Columns of 64-bit numbers, `count` entries each. */
typedef struct libra_column {
  const int64_t* values;
  int64_t count;
} libra_column;

/* fault NULL: the stream has come here. Called once, on the stream's thread; under schedule
 * fuzzing on the thread that calls libra_world_drain. */
typedef void (*libra_callback)(void* data, const libra_fault* fault);

/* Element types of tensors: the parameters named type. */
enum { LIBRA_FLOAT32 = 0, LIBRA_INT32 = 1, LIBRA_FLOAT64 = 2, LIBRA_BFLOAT16 = 3 };

/* Bytes of an element outside tensors, where a bfloat16 is a float. */
int64_t libra_wide_bytes(int type); /* C only */

/* ---- errors and environment */
const libra_fault* libra_last_fault(void);         /* C only */
libra_environment* libra_environment_create(void); /* C only */
/* Lets queued operations run while they can, at most drain_ms, stops the worlds that are left and
 * waits for their threads; the number of operations that were dropped. */
int libra_environment_drain(libra_environment* environment, double drain_ms);
void libra_environment_release(libra_environment* environment); /* C only */
/* Names of the instruction sets that this machine can run, widest first. */
const char* libra_instruction_sets(void);
/* How products of bfloat16 are formed there: "dot" (pairs in one instruction) or "convert" (as
 * float32); "" for a set that this machine lacks. */
const char* libra_bfloat16_products(const char* instruction_set);

/* ---- this machine's rates, measured now on threads made for it */
/* float32 multiply-adds, GFLOP/s of all threads together. */
double libra_peak_float(int threads, const char* instruction_set);
/* Dot products of bfloat16 pairs, GFLOP/s; 0 where the machine has none. */
double libra_peak_bfloat16(int threads);
/* Copying one block of `bytes` to another: GB/s read and written; 0 where memory does not suffice.
 */
double libra_copy_bandwidth(int threads, int64_t bytes);

/* ---- world */
/* instruction_set "": the process's default. fuzz: no threads, libra_world_drain runs operations
 * in an order that seed decides. */
libra_status libra_world_create(libra_environment* environment, int size, double timeout_ms,
                                int threads, int fuzz, double seed, const char* instruction_set,
                                libra_world** out);
void libra_world_release(libra_world* world); /* C only */
int64_t libra_world_row_block(libra_world* world);
const char* libra_world_instruction_set(libra_world* world);
/* Moves the clock of timeouts on; to be called by the enqueuing thread about every 25 ms. */
void libra_world_beat(libra_world* world);
void libra_world_fail(libra_world* world, const char* code, const char* message,
                      const char* details);
/* 1 and *out when something has failed: the first fault. */
int libra_world_fault(libra_world* world, libra_fault* out);
/* The rank enqueues nothing more. */
void libra_world_returned(libra_world* world, int rank);
/* Fuzzing: runs what can run; the number of operations that ran. */
int libra_world_drain(libra_world* world);
/* Fuzzing: fails with a list of what each stream waits for. */
void libra_world_deadlock(libra_world* world);
int libra_world_queued(libra_world* world);
/* Takes no more operations and frees the world's storages once those already enqueued have run. */
void libra_world_close(libra_world* world);

/* ---- memory */
libra_status libra_storage_create(libra_world* world, int rank, int64_t bytes, libra_storage** out);
/* Frees the memory once the operations that use it have run; the handle stays. */
void libra_storage_release(libra_storage* storage);
void libra_storage_destroy(libra_storage* storage); /* C only */
libra_status libra_storage_zero(libra_storage* storage);
/* data: `count` elements of the type; for bfloat16 floats, rounded to nearest even. */
libra_status libra_storage_write(libra_storage* storage, const void* data, int64_t count, int type);
void libra_memory_statistics(libra_world* world, int rank, libra_memory* out);
void libra_memory_trim(libra_world* world, int rank);

/* ---- streams and events */
libra_status libra_stream_create(libra_world* world, int rank, const char* name,
                                 libra_stream** out);
void libra_stream_release(libra_stream* stream); /* C only */
libra_status libra_stream_record(libra_stream* stream, libra_event** out);
void libra_event_release(libra_event* event); /* C only */
libra_status libra_stream_wait(libra_stream* stream, libra_event* event);
libra_status libra_stream_done(libra_stream* stream, libra_callback callback, void* data);
/* Copies `count` elements of the tensor to target, then calls back; target must live until then.
 * bfloat16 is widened to float32. */
libra_status libra_stream_read(libra_stream* stream, libra_tensor tensor, int64_t count, int type,
                               void* target, libra_callback callback, void* data);
/* Writes at most capacity entries; the number of kinds there are. */
int libra_stream_timings(libra_stream* stream, libra_timing* out, int capacity);
void libra_stream_reset_timings(libra_stream* stream);

/* ---- communicators */
/* key: equal on all members; ranks: global; rank: position in ranks. */
libra_status libra_communicator_create(libra_world* world, const char* key, libra_column ranks,
                                       int rank, libra_communicator** out);
void libra_communicator_release(libra_communicator* communicator); /* C only */
libra_status libra_all_reduce(libra_communicator* communicator, libra_stream* stream,
                              libra_tensor tensor, int64_t count, int type);
libra_status libra_reduce_scatter(libra_communicator* communicator, libra_stream* stream,
                                  libra_tensor input, libra_tensor output, int64_t output_count,
                                  int type);
libra_status libra_all_gather(libra_communicator* communicator, libra_stream* stream,
                              libra_tensor input, libra_tensor output, int64_t input_bytes);
libra_status libra_broadcast(libra_communicator* communicator, libra_stream* stream,
                             libra_tensor tensor, int64_t bytes, int root);
libra_status libra_barrier(libra_communicator* communicator, libra_stream* stream);
/* peer_offsets: peers + 1 entries; the others one per block. */
libra_status libra_block_list_create(libra_column peer_offsets, libra_column buffer,
                                     libra_column offset, libra_column rows, libra_column stride,
                                     libra_column width, libra_block_list** out);
void libra_block_list_release(libra_block_list* list); /* C only */

/* One family of vectors of an exchange; sources and destinations by buffer of the lists. */
typedef struct libra_transfer {
  libra_block_list* send;
  libra_block_list* receive;
  const libra_tensor* sources;
  const int64_t* source_bytes;
  int source_count;
  const libra_tensor* destinations;
  const int64_t* destination_bytes;
  int destination_count;
  int64_t vector_bytes;
} libra_transfer;
libra_status libra_exchange(libra_communicator* communicator, libra_stream* stream,
                            const libra_transfer* transfers, int count);

/* ---- operators: kernels.h says what each computes.
 * type: LIBRA_FLOAT32 or LIBRA_BFLOAT16, of the tensors that have that of the model; weights of
 * norms, log-sum-exp, delta and gradients of weights are float32 in both. */
/* out_type: type, or LIBRA_FLOAT32 for a bfloat16 x without residual. */
libra_status libra_linear(libra_stream* stream, libra_tensor x, libra_tensor weight,
                          libra_tensor residual, libra_tensor out, int64_t rows, int64_t in,
                          int64_t outputs, int type, int out_type);
libra_status libra_linear_backward_input(libra_stream* stream, libra_tensor d_out,
                                         libra_tensor weight, libra_tensor dx, int64_t rows,
                                         int64_t in, int64_t outputs, int accumulate, int type);
libra_status libra_linear_backward_weight(libra_stream* stream, libra_tensor d_out, libra_tensor x,
                                          libra_tensor d_weight, int64_t rows, int64_t in,
                                          int64_t outputs, int accumulate, int type);
libra_status libra_rms_norm(libra_stream* stream, libra_tensor x, libra_tensor weight,
                            libra_tensor out, libra_tensor inverse_rms, int64_t rows, int64_t width,
                            double eps, int type);
libra_status libra_rms_norm_backward(libra_stream* stream, libra_tensor d_out, libra_tensor x,
                                     libra_tensor weight, libra_tensor inverse_rms, libra_tensor dx,
                                     libra_tensor d_weight, int64_t rows, int64_t width,
                                     int accumulate, int accumulate_weight, int type);
libra_status libra_rope(libra_stream* stream, libra_tensor x, libra_tensor positions,
                        libra_tensor out, int64_t tokens, int64_t heads, int64_t head_dim,
                        double theta, int inverse, int type);
libra_status libra_swiglu(libra_stream* stream, libra_tensor gate, libra_tensor up,
                          libra_tensor out, int64_t count, int type);
libra_status libra_swiglu_backward(libra_stream* stream, libra_tensor d_out, libra_tensor gate,
                                   libra_tensor up, libra_tensor d_gate, libra_tensor d_up,
                                   int64_t count, int type);
libra_status libra_embedding(libra_stream* stream, libra_tensor ids, libra_tensor table,
                             libra_tensor out, int64_t tokens, int64_t vocabulary, int64_t width,
                             int type);
libra_status libra_embedding_backward(libra_stream* stream, libra_tensor ids, libra_tensor d_out,
                                      libra_tensor d_table, int64_t tokens, int64_t vocabulary,
                                      int64_t width, int accumulate, int type);
libra_status libra_cross_entropy(libra_stream* stream, libra_tensor logits, libra_tensor targets,
                                 libra_tensor sums, libra_tensor log_sum_exp, int64_t rows,
                                 int64_t vocabulary, int accumulate);
libra_status libra_cross_entropy_backward(libra_stream* stream, libra_tensor logits,
                                          libra_tensor targets, libra_tensor log_sum_exp,
                                          libra_tensor d_logits, int64_t rows, int64_t vocabulary,
                                          double scale);
libra_status libra_add(libra_stream* stream, libra_tensor a, libra_tensor b, libra_tensor out,
                       int64_t count, int type);
libra_status libra_scale(libra_stream* stream, libra_tensor x, libra_tensor out, int64_t count,
                         double factor, libra_tensor factor_tensor);
libra_status libra_fill(libra_stream* stream, libra_tensor out, int64_t count, double value,
                        int type);
libra_status libra_copy(libra_stream* stream, libra_tensor from, libra_tensor to, int64_t bytes);
/* float32 to bfloat16, rounded to nearest even. */
libra_status libra_narrow(libra_stream* stream, libra_tensor from, libra_tensor to, int64_t count);
/* bfloat16 to float32. */
libra_status libra_widen(libra_stream* stream, libra_tensor from, libra_tensor to, int64_t count);
libra_status libra_sum_squares(libra_stream* stream, libra_tensor x, libra_tensor out,
                               int64_t count, int accumulate);
libra_status libra_clip_factor(libra_stream* stream, libra_tensor sum_squares, libra_tensor out,
                               libra_tensor norm, double max_norm);
libra_status libra_adam_w(libra_stream* stream, libra_tensor parameter, libra_tensor gradient,
                          libra_tensor m, libra_tensor v, libra_tensor gradient_factor,
                          int64_t count, double learning_rate, double beta1, double beta2,
                          double eps, double weight_decay, int64_t step);

/* ---- attention; columns with one entry per segment, offsets and strides in vectors */
libra_status libra_segments_create(libra_column query_offset, libra_column query_stride,
                                   libra_column heads, libra_column rows, libra_column key_offset,
                                   libra_column key_stride, libra_column keys, libra_column causal,
                                   libra_segments** out);
void libra_segments_release(libra_segments* segments); /* C only */
libra_status libra_attention_forward(libra_stream* stream, libra_tensor q, libra_tensor k,
                                     libra_tensor v, libra_tensor out, libra_tensor log_sum_exp,
                                     libra_segments* segments, double scale, int64_t head_dim,
                                     int64_t value_dim, int type);
/* dq, dk and dv are float32. */
libra_status libra_attention_backward(libra_stream* stream, libra_tensor q, libra_tensor k,
                                      libra_tensor v, libra_tensor d_out, libra_tensor log_sum_exp,
                                      libra_tensor delta, libra_tensor dq, libra_tensor dk,
                                      libra_tensor dv, libra_segments* segments, double scale,
                                      int64_t head_dim, int64_t value_dim, int type);
libra_status libra_attention_delta(libra_stream* stream, libra_tensor out, libra_tensor d_out,
                                   libra_tensor delta, int64_t vectors, int64_t value_dim,
                                   int type);
libra_status libra_merge_partials(libra_stream* stream, libra_tensor partial,
                                  libra_tensor partial_log_sum_exp, libra_tensor out,
                                  libra_tensor log_sum_exp, int64_t vectors, int64_t value_dim);

/* ---- vectors of the exchange */
libra_status libra_vector_runs_create(libra_column from, libra_column to, libra_column rows,
                                      libra_column stride, libra_vector_runs** out);
void libra_vector_runs_release(libra_vector_runs* runs); /* C only */
libra_status libra_accumulate_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                      libra_vector_runs* runs, int64_t vector_size);
libra_status libra_vector_blocks_create(libra_column offset, libra_column rows, libra_column stride,
                                        libra_column width, libra_vector_blocks** out);
void libra_vector_blocks_release(libra_vector_blocks* blocks); /* C only */
libra_status libra_gather_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                  libra_vector_blocks* blocks, int64_t vector_size, int type);
libra_status libra_scatter_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                   libra_vector_blocks* blocks, int64_t vector_size, int type);

#ifdef __cplusplus
}
#endif
