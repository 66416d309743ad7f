/** RFC 3339 with seconds, as Kubernetes writes `metav1.Time`. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** RFC 3339 with microseconds, as Kubernetes writes `metav1.MicroTime`. */
export const microTimestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`;
