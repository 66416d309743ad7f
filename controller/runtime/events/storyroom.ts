/**
 * Room for stories that wait to be told. Where it is full, the namespace of which most wait gives way to one of which fewer do: whatever
 * happens in one namespace, there is room for what happens in another (hack/decisions/0045).
 */
export class StoryRoom {
  readonly #namespaceOf = new Map<string, string>();
  /** Of each namespace, first come first. */
  readonly #lines = new Map<string, Set<string>>();

  /** Lets a story wait where fewer than so many do, or others give way; answers whether it waits, and which one no longer does. */
  enter(
    story: string,
    { namespace, most }: { namespace: string; most: number },
  ): { waits: boolean; givesWay?: string } {
    if (this.#namespaceOf.has(story)) return { waits: true };
    if (this.#namespaceOf.size < most) {
      this.#add(story, namespace);
      return { waits: true };
    }
    const longest = this.#longest();
    const [givesWay] = longest;
    if (givesWay === undefined || (this.#lines.get(namespace)?.size ?? 0) + 1 >= longest.size) return { waits: false };
    this.leave(givesWay);
    this.#add(story, namespace);
    return { waits: true, givesWay };
  }

  /** It is told, or given up. */
  leave(story: string): void {
    const namespace = this.#namespaceOf.get(story);
    if (namespace === undefined) return;
    this.#namespaceOf.delete(story);
    const line = this.#lines.get(namespace);
    line?.delete(story);
    if (line?.size === 0) this.#lines.delete(namespace);
  }

  #add(story: string, namespace: string): void {
    this.#namespaceOf.set(story, namespace);
    const line = this.#lines.get(namespace) ?? new Set();
    this.#lines.set(namespace, line.add(story));
  }

  #longest(): ReadonlySet<string> {
    let longest: ReadonlySet<string> = new Set();
    for (const line of this.#lines.values()) if (line.size > longest.size) longest = line;
    return longest;
  }
}
