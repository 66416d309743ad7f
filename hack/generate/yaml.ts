import { Document, isMap, isSeq } from 'yaml';
import { notice } from './generated.ts';

/** Objects as one YAML file, under a line that says where they come from. */
export const yamlFile = (source: string, documents: readonly Document[]): string =>
  `# ${notice(source)}\n${documents.map((document) => document.toString({ lineWidth: 0 })).join('---\n')}`;

/** An object as a YAML document without anchors. */
export const yamlDocument = (object: unknown): Document => new Document(object, { aliasDuplicateObjects: false });

/** Puts a comment line above each entry of a list at top level. */
export function commentEntries(document: Document, list: string, comments: readonly string[]): Document {
  const entries = document.get(list);
  if (!isSeq(entries)) throw new Error(`cannot comment ${list}: the document has no such list`);
  for (const [index, entry] of entries.items.entries()) {
    if (isMap(entry)) entry.commentBefore = ` ${comments[index]}`;
  }
  return document;
}
