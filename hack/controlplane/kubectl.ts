/** What a program said and how it ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Which kubectl, and for which cluster and user. Both are paths. */
export interface Kubectl {
  binary: string;
  kubeconfig: string;
}

/** Runs kubectl with the arguments; `stdin` is what `-f -` reads. Never throws because of its exit code. */
export async function runKubectl({ binary, kubeconfig }: Kubectl, args: readonly string[], stdin = ''): Promise<Ended> {
  const child = Bun.spawn([binary, `--kubeconfig=${kubeconfig}`, ...args], {
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}
