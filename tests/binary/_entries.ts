// Every file and folder below a folder, with what tells whether somebody changed it.

/** Path -> kind, size and time of the last change. */
export async function collectEntries(
  folder: string,
  found = new Map<string, string>(),
  below = "",
): Promise<Map<string, string>> {
  for await (const { name, isDirectory } of Deno.readDir(`${folder}${below}`)) {
    const path = `${below}/${name}`;
    const { size, mtime, mode } = await Deno.lstat(`${folder}${path}`);
    const changed = mtime?.getTime() ?? 0;
    found.set(path, isDirectory ? `folder ${changed}` : `${size} bytes, ${mode}, ${changed}`);
    if (isDirectory) await collectEntries(folder, found, path);
  }
  return found;
}
