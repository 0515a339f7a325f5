// What the real @std packages offer under the paths we may import: names of values and types of
// version 1 (read 2026-08). A stand-in under std/ may offer less, never more and never elsewhere, so
// that the real package can take its place. `unstable-` paths are not used.

/** Package -> export path -> names. */
export const STD: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "@std/assert": {
    ".": [
      "AssertionError",
      "assert",
      "assertAlmostEquals",
      "assertArrayIncludes",
      "assertEquals",
      "assertExists",
      "assertFalse",
      "assertGreater",
      "assertGreaterOrEqual",
      "assertInstanceOf",
      "assertIsError",
      "assertLess",
      "assertLessOrEqual",
      "assertMatch",
      "assertNotEquals",
      "assertNotInstanceOf",
      "assertNotMatch",
      "assertNotStrictEquals",
      "assertObjectMatch",
      "assertRejects",
      "assertStrictEquals",
      "assertStringIncludes",
      "assertThrows",
      "equal",
      "fail",
      "unimplemented",
      "unreachable",
    ],
  },
  "@std/async": {
    ".": [
      "DeadlineOptions",
      "DebouncedFunction",
      "DelayOptions",
      "MuxAsyncIterator",
      "RetryError",
      "RetryOptions",
      "abortable",
      "deadline",
      "debounce",
      "delay",
      "pooledMap",
      "retry",
      "tee",
    ],
    "./abortable": ["abortable"],
    "./deadline": ["DeadlineOptions", "deadline"],
    "./delay": ["DelayOptions", "delay"],
    "./pool": ["pooledMap"],
    "./retry": ["RetryError", "RetryOptions", "retry"],
  },
  "@std/cli": {
    ".": ["Args", "ParseOptions", "parseArgs", "promptSecret", "unicodeWidth"],
    "./parse-args": ["Args", "ParseOptions", "parseArgs"],
    "./unicode-width": ["unicodeWidth"],
  },
  "@std/testing": {
    "./time": ["DelayOptions", "FakeTime", "FakeTimeOptions", "TimeError"],
  },
};
