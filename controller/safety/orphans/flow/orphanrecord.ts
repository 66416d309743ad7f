import type { Node } from '../../../runtime/k8s/core.ts';

/** A Node that is Ready, and of whose Lease nobody can say that it is renewed no more, may be that of a VM that lives. */
export const mayLive = ({ status }: Node, isSilent: boolean): boolean =>
  !isSilent && (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
