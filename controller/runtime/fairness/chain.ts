/** What stands in a chain; each thing in one chain at a time. The fields are the chain's. */
export interface Linked<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/** A list that is added to at its end and taken from anywhere, each in constant time. Its fields are for reading. */
export class Chain<T extends Linked<T>> {
  // No private fields: lines (sharing.ts) make chains by the thousand, and those take several times as long to make.
  first: T | undefined = undefined;
  last: T | undefined = undefined;

  /** Puts an item that is in no chain at the end. */
  push(item: T): void {
    item.previous = this.last;
    item.next = undefined;
    if (this.last) this.last.next = item;
    else this.first = item;
    this.last = item;
  }

  /** Takes an item out that is in this chain. */
  remove(item: T): void {
    if (item.previous) item.previous.next = item.next;
    else this.first = item.next;
    if (item.next) item.next.previous = item.previous;
    else this.last = item.previous;
    item.previous = undefined;
    item.next = undefined;
  }
}
