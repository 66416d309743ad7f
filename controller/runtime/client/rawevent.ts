import type { KubeObject } from '../k8s/object.ts';
import { type Attempt, broken, refusalBy, type Status } from './failures.ts';

/** An event of a watch as it comes over the wire (metav1 WatchEvent). */
export interface RawWatchEvent<T extends KubeObject = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: T;
}

/** The event in a line of a watch. Throws an ApiError for an ERROR that the server tells, and for what is no event. */
export function readEvent<T extends KubeObject>(watch: Attempt, line: string): RawWatchEvent<T> {
  const event = parse(watch, line) as RawWatchEvent<T> | { type: 'ERROR'; object: Status };
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return event;
    case 'ERROR':
      throw refusalBy(watch, event.object);
    default:
      throw broken(watch, new Error(`not an event of a watch: ${line.slice(0, 100)}`));
  }
}

function parse(watch: Attempt, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw broken(watch, error);
  }
}
