// Collects the lines a child process writes, all the time, so that it never blocks on a full pipe.

/** Lines of one stream, as they come. */
export interface Lines {
  /** All complete lines so far. */
  all(): string[];
  /** Resolves at the end of the stream. */
  readonly done: Promise<void>;
}

/** Starts collecting; `tell` hears every line at once. */
export function collectLines(
  stream: ReadableStream<Uint8Array>,
  tell?: (line: string) => void,
): Lines {
  const lines: string[] = [];
  const collect = async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) {
        lines.push(line);
        tell?.(line);
      }
    }
    if (rest !== "") lines.push(rest);
  };
  return { all: () => [...lines], done: collect() };
}
