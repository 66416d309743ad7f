/** What becomes of one request on a faulty way. */
export type Treatment =
  /** It reaches the server, and its answer comes back. */
  | 'pass'
  /** Nobody ever answers. */
  | 'hang'
  /** The connection ends at once. */
  | 'break'
  /** The answer is 500, and the server hears nothing of it. */
  | 'fail'
  /** The answer begins, and the connection ends in the middle of it. */
  | 'cut'
  /** It reaches the server so many milliseconds late. */
  | { late: number }
  /** The answer is a page of text with this code, and the server hears nothing of it. */
  | { page: number };

/** How a way to an API server is broken. */
export interface Fault {
  /** What becomes of connections that are open when the fault begins. */
  open: 'keep' | 'freeze' | 'break';
  /** `request` is the first line of a request, such as `GET /api/v1/nodes?limit=500 HTTP/1.1`. */
  treat(request: string): Treatment;
  /** Answers to such requests come when the fault is over, all of them, in their order; also to those that are under way. */
  delays?(request: string): boolean;
}

const isWatch = (request: string): boolean => request.includes('watch=true');
const isList = (request: string): boolean => /^GET \S*[?&]limit=/.test(request);

/** Nothing is wrong. */
export const sound: Fault = { open: 'keep', treat: () => 'pass' };

/** The faults of the tests, by what they look like from the client's side. */
export const faults = {
  /** As if the server were stopped, or a network swallowed everything: connections stay open and nothing comes. */
  silent: { open: 'freeze', treat: () => 'hang' },
  /** As if nothing listened any more. */
  refused: { open: 'break', treat: () => 'break' },
  /** A server, or what stands in front of it, that fails at everything; watches that run go on. */
  failing: { open: 'keep', treat: () => 'fail' },
  /** Only what is open ends, each list within its body, and each watch at once; all else works. */
  cutLists: { open: 'break', treat: (request) => (isWatch(request) ? 'break' : isList(request) ? 'cut' : 'pass') },
  /** Requests work, watches and what is open do not. */
  cutWatches: { open: 'break', treat: (request) => (isWatch(request) ? 'break' : 'pass') },
} as const satisfies Record<string, Fault>;

/** What stands in front of the server knows no such paths, and answers each with a page of text; what is open ends. */
export const paged = (code: number, isMeant: (request: string) => boolean): Fault => ({
  open: 'break',
  treat: (request) => (isMeant(request) ? { page: code } : 'pass'),
});

/** Nothing is heard of changes of objects of this kind until the fault is over; all else works. */
export const unheard = (plural: string): Fault => ({
  open: 'keep',
  treat: () => 'pass',
  delays: (request) => isWatch(request) && request.includes(`/${plural}?`),
});

/** Every request arrives this much late; what is open goes on. */
export const slow = (ms: number): Fault => ({ open: 'keep', treat: () => ({ late: ms }) });
