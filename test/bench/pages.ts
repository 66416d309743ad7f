import { LOCAL } from '../fixtures/local.ts';

/** What a server of one long list has. */
export interface Pages {
  count: number;
  /** The version of the list. */
  version: number;
  /** An object as it comes over the wire. */
  object(index: number): string;
  /** What a watch is told. */
  changes(): ReadableStream;
}

/** Serves the list page by page, as an API server does, and says its port on standard output. */
export function servePages(pages: Pages): void {
  const { port } = Bun.serve({
    ...LOCAL,
    fetch({ url }) {
      const query = new URL(url).searchParams;
      return query.has('watch') ? new Response(pages.changes()) : page(pages, query);
    },
  });
  process.stdout.write(`${port}\n`);
}

/** A page of the list; a page begins where `continue` says. */
function page({ count, version, object }: Pages, query: URLSearchParams): Response {
  const from = Number(query.get('continue'));
  const to = Math.min(count, from + Number(query.get('limit')));
  const items = Array.from({ length: to - from }, (_, at) => object(from + at));
  const next = to < count ? String(to) : '';
  const text = `{"metadata":{"resourceVersion":"${version}","continue":"${next}"},"items":[${items}]}`;
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
