import type { Event, Stream } from "@libra/runtime";

/** The three queues of the pipeline; `compute` is the caller's. */
export interface PipelineStreams {
  readonly dispatch: Stream;
  readonly compute: Stream;
  readonly return: Stream;
}

/** What each stage enqueues for one chunk, on its own stream. */
export interface PipelineStages {
  /** What needs nothing of other workers, on `compute`: it runs while the first dispatch does. */
  home(): void;
  dispatch(chunk: number): void;
  attend(chunk: number): void;
  return(chunk: number): void;
}

/**
 * Enqueues all chunks so that dispatch of chunk c+1, attention of chunk c and return of chunk c−1 can
 * run at the same time. Every wait is needed, and a test removes each in turn:
 * the inputs are written on `compute` before `dispatch` reads them; a chunk's attention reads what its
 * dispatch brought; its return reads what its attention wrote; the caller reads what the last return
 * brought. Order inside a stream covers everything else.
 */
export function runPipeline(
  streams: PipelineStreams,
  chunks: number,
  stages: PipelineStages,
): void {
  const arrived: Event[] = [];
  const dispatch = (chunk: number): void => {
    if (chunk >= chunks) return;
    stages.dispatch(chunk);
    arrived.push(streams.dispatch.record());
  };
  streams.dispatch.wait(streams.compute.record());
  dispatch(0);
  stages.home();
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    // Enqueued before the attention of this chunk: a device that issues in order starts it first.
    dispatch(chunk + 1);
    streams.compute.wait(arrived[chunk]!);
    stages.attend(chunk);
    streams.return.wait(streams.compute.record());
    stages.return(chunk);
  }
  streams.compute.wait(streams.return.record());
}
