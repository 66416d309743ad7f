/**
 * Ends every process of a folder's pid files and removes the folder when its standard input ends: when the owner closes
 * it, or is dead, however it died. Plain sh, so that it costs nothing; SIGKILL also ends what is frozen.
 */
const SCRIPT = `
cat >/dev/null
for file in "$1"/run/*.pid; do read -r pid <"$file" && kill -KILL "$pid"; done
for try in 1 2 3 4 5; do rm -rf "$1" && break; sleep 0.2; done
`;

/** Binds the life of a folder, and of the processes with a pid file in its `run`, to the life of this process. */
export function guard(folder: string): { release(): Promise<void> } {
  const shell = Bun.spawn(['sh', '-c', SCRIPT, 'guard', folder], {
    detached: true, // A Ctrl-C goes to the whole foreground group; the guard has to survive it.
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  shell.unref();
  return {
    async release() {
      await shell.stdin.end();
      await shell.exited;
    },
  };
}
