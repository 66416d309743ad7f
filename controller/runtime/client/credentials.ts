import type { TextFile } from '../textfile.ts';
import type { Credentials } from './connection.ts';

/** A token that never changes. */
export const tokenCredentials = (token: string): Credentials => ({
  header: () => `Bearer ${token}`,
  refresh: () => {},
});

/** A token in a file that others renew, as kubelet renews a ServiceAccount's. */
export const tokenFileCredentials = (file: TextFile): Credentials => ({
  header: () => `Bearer ${file.read()}`,
  refresh: () => file.forget(),
});

/** A user name and a password (RFC 7617). */
export const passwordCredentials = (username: string, password: string): Credentials => ({
  header: () => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  refresh: () => {},
});
