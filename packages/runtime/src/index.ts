/**
 * Typed face of the native runtime: devices, tensors, streams, events, communicators and operators.
 *
 * @packageDocumentation
 */
export {};
