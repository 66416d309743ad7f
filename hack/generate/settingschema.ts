import { type Flag, flagsOf, type Program } from '../../schemas/config/program.ts';
import { closed, list, type Schema, text, textWith } from './valueschema.ts';

/**
 * The settings of a program as values of the chart, without those that the chart gives itself. A program reads texts; here
 * numbers and switches may be written as such, and lists as lists.
 * @param own names of the settings that the chart gives itself
 */
export const settingsSchema = (program: Program<unknown>, own: readonly string[]): Schema =>
  closed(
    Object.fromEntries(
      flagsOf(program)
        .filter(({ setting }) => !own.includes(setting))
        .map((flag) => [flag.setting, { ...shapeOf(flag), description: flag.says }]),
    ),
  );

/** What a program takes, by the words in its help (schemas/config/value.ts). */
const shapes: Readonly<Record<string, Schema>> = {
  number: { anyOf: [{ type: 'number', minimum: 0 }, textWith('^[0-9]+(\\.[0-9]+)?$')] },
  duration: { anyOf: [textWith('^([0-9]*\\.?[0-9]+(ns|us|µs|ms|s|m|h))+$'), { const: 0 }, { const: '0' }] },
  percentage: textWith('^[0-9]{1,3}%$'),
  'number|percentage': { anyOf: [{ type: 'integer', minimum: 1 }, textWith('^[0-9]+%?$')] },
  'true|false': { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }] },
};

function shapeOf({ takes }: Flag): Schema {
  const shape = shapes[takes];
  if (shape) return shape;
  if (takes.endsWith(',…')) return { anyOf: [text, list(text)] };
  return /^[a-zA-Z]+(\|[a-zA-Z]+)+$/.test(takes) && !takes.includes('path')
    ? { type: 'string', enum: takes.split('|') }
    : text;
}
