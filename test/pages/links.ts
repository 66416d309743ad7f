/** A link of a page to a file, a heading, or both. */
export interface Link {
  /** As it stands in the page. */
  text: string;
  /** From the page's folder; empty means the page itself. */
  path: string;
  /** Without the #; empty means the top. */
  anchor: string;
}

const LINK = /\]\(([^)\s]+)\)/g;

/** Links of a page that lead to files of the project; addresses of the web are left out, and so is code. */
export function linksOf(page: string): Link[] {
  const prose = withoutCode(page).replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(LINK)]
    .map(([, text = '']) => text)
    .filter((text) => !/^[a-z]+:/.test(text))
    .map((text) => {
      const [path = '', anchor = ''] = text.split('#');
      return { text, path, anchor };
    });
}

/** What each heading of a page is linked by, as GitHub makes it; the same again gets a number. */
export function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return new Set(
    headings.map((anchor) => {
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const withoutCode = (page: string): string => page.replaceAll(/^```.*?^```$/gms, '');
