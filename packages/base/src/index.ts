/**
 * What every Libra package shares: errors with stable codes and the plan hash.
 *
 * @packageDocumentation
 */
export {};
