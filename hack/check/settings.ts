import {
  isBindingElement,
  isIdentifier,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isVariableDeclaration,
  type Node,
  type ParameterDeclaration,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

/** Where the settings of the programs are declared, as properties of `entries`. */
const DECLARED = /^schemas\/config\/(?!.*\.test\.ts$)\w+\.ts$/;
/** Where they have to be read. */
const PROGRAMS = /^(controller|webhook)\/(?!.*\.(?:test|fake|fixture)\.ts$)/;

/** Finds settings that no program reads: a flag that is taken, told of in the reference, and without effect. */
export function settingsLint(sources: readonly Source[]): Finding[] {
  const read = new Set(sources.filter(({ path }) => PROGRAMS.test(path)).flatMap(readIn));
  return sources
    .filter(({ path }) => DECLARED.test(path))
    .flatMap((source) =>
      declaredIn(source)
        .filter(({ name }) => !read.has(name))
        .map(({ name, node }) => at(source, node, `no program reads the setting ${name}: read it, or take it out`)),
    );
}

function declaredIn({ nodes }: Source): Array<{ name: string; node: Node }> {
  const entries = nodes.find((node) => isVariableDeclaration(node) && node.name.getText() === 'entries');
  if (entries === undefined || !isVariableDeclaration(entries)) return [];
  const { initializer } = entries;
  if (initializer === undefined || !isObjectLiteralExpression(initializer)) return [];
  return initializer.properties.filter(isPropertyAssignment).map((node) => ({ name: node.name.getText(), node }));
}

/** Names that are read of something called `settings`, or that is declared to be `…Settings`. */
function readIn({ nodes }: Source): string[] {
  const typed = new Set(nodes.filter(isTyped).map((node) => node.name.getText()));
  return nodes.flatMap((node) => {
    if (isPropertyAccessExpression(node)) {
      const { expression, name } = node;
      return isSettings(expression) || typed.has(expression.getText()) ? [name.text] : [];
    }
    return isObjectBindingPattern(node) && takesSettingsApart(node.parent) ? namesIn(node) : [];
  });
}

/** A parameter that is declared to be `…Settings`, or a part of it. */
const isTyped = (node: Node): node is ParameterDeclaration =>
  isParameterDeclaration(node) && /Settings\b/.test(node.type?.getText() ?? '');

const isSettings = (node: Node | undefined): boolean => node !== undefined && /(^|\.)settings$/.test(node.getText());

function takesSettingsApart(node: Node): boolean {
  if (isBindingElement(node)) return isSettings(node.propertyName);
  if (isVariableDeclaration(node)) return isSettings(node.initializer);
  return isTyped(node);
}

const namesIn = (pattern: Node): string[] => {
  const names: string[] = [];
  pattern.forEachChild((child) => {
    if (!isBindingElement(child)) return;
    const name = child.propertyName ?? child.name;
    if (name && isIdentifier(name)) names.push(name.text);
  });
  return names;
};
