import { citationsLint } from '../check/citations.ts';
import { commitsLint, readLog } from '../check/commits.ts';
import { determinismLint } from '../check/determinism.ts';
import { exceptions, withoutExcused } from '../check/exceptions.ts';
import { exportsLint } from '../check/exports.ts';
import { type Expression, expressionsIn, patternsIn } from '../check/expressions.ts';
import { findingsLint } from '../check/findings.ts';
import { fragmentsLint } from '../check/fragments.ts';
import { importsLint } from '../check/imports.ts';
import { namesLint } from '../check/names.ts';
import { recordsLint } from '../check/records.ts';
import { redosFindings } from '../check/redos.ts';
import { settingsLint } from '../check/settings.ts';
import { type Finding, type Lint, Parser, type Source } from '../check/source.ts';
import { testsLint } from '../check/tests.ts';
import { textLint } from '../check/text.ts';
import { unusedLint } from '../check/unused.ts';

/**
 * Our own lints, for what Biome cannot judge: who may import whom, injected time and chance, names, docstrings. Prints `path:line: sentence`
 * for each finding and ends with 1 if there is any.
 */

const lints: readonly Lint[] = [importsLint, testsLint, determinismLint, exportsLint, namesLint];

interface TextFile {
  path: string;
  text: string;
}

/** Every text file that git knows or would add. */
async function readTexts(): Promise<TextFile[]> {
  const listed = await Bun.$`git ls-files -z --cached --others --exclude-standard`.text();
  const files = await Promise.all(listed.split('\0').filter(Boolean).map(readText));
  return files.filter((file) => file !== undefined);
}

/** Undefined for a file that is binary, or deleted but not yet committed. */
async function readText(path: string): Promise<TextFile | undefined> {
  const file = Bun.file(path);
  const text = (await file.exists()) ? await file.text() : '\0';
  return text.includes('\0') ? undefined : { path, text };
}

async function parse(files: readonly TextFile[]): Promise<Source[]> {
  const parser = new Parser();
  try {
    return await parser.parse(Object.fromEntries(files.map(({ path, text }) => [path, text])));
  } finally {
    await parser.close();
  }
}

/** Of expressions that are not linear, and of those that nobody can judge. */
async function expressionFindings(sources: readonly Source[], files: readonly TextFile[]): Promise<Finding[]> {
  const seen = [...sources.flatMap(expressionsIn), ...files.flatMap(patternsIn)];
  const judged = seen.filter((one): one is Expression => 'source' in one);
  return [...seen.filter((one) => 'message' in one), ...(await redosFindings(judged))];
}

/** Prints what is found. */
export async function run(): Promise<number> {
  const texts = await readTexts();
  const sources = await parse(texts.filter(({ path }) => path.endsWith('.ts')));
  const found: Finding[] = [
    ...texts.flatMap(textLint),
    ...commitsLint(await readLog()),
    ...recordsLint(texts),
    ...findingsLint(texts),
    ...citationsLint(texts),
    ...unusedLint(sources),
    ...fragmentsLint(sources),
    ...settingsLint(sources),
    ...sources.flatMap((source) => lints.flatMap((lint) => lint(source))),
    ...(await expressionFindings(sources, texts)),
  ];
  const findings = withoutExcused(found, exceptions).sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  for (const { path, line, message } of findings) console.log(`${path}:${line}: ${message}`);
  console.log(`${findings.length} findings in ${sources.length} files`);
  return findings.length > 0 ? 1 : 0;
}
