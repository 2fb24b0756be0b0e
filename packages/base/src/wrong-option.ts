import { nearest } from "./nearest.js";

/**
 * What `parseArgs` of `node:util` refused, in one line with the options that were perhaps meant.
 *
 * @param cause - what it threw
 * @param names - the command's options, without their dashes
 * @param command - such as `libra train`; its `--help` is pointed to
 */
export function wrongOption(cause: unknown, names: readonly string[], command: string): string {
  const { code, message } = cause as Error & { code?: string };
  const said = message.split(/\.\s/)[0]!.replace(/\.$/, "");
  const word = /'--([\w-]+)/.exec(said)?.[1] ?? "";
  const close = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? nearest(word, names) : [];
  const hint = close.length > 0 ? `; did you mean --${close.join(" or --")}?` : ".";
  return `${said}${hint} ${command} --help explains`;
}
