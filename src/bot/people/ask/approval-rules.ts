import { matchesGlob } from 'node:path';
import type { ApprovalRule } from '../../../config/config-file.ts';

export interface RuledAction {
  readonly tool: string;
  /** As the model wrote them; empty for a publication. */
  readonly arguments: string;
  /** The file of a call, or all changed paths of a publication. */
  readonly paths: readonly string[];
}

/** What the first rule that fits says; undefined where none does (A6). Pure. */
export function ruleFor(rules: readonly ApprovalRule[], action: RuledAction): ApprovalRule['then'] | undefined {
  return rules.find((rule) => fits(rule, action))?.then;
}

function fits(rule: ApprovalRule, { tool, arguments: raw, paths }: RuledAction): boolean {
  if (rule.tool !== undefined && !matchesText(rule.tool, tool)) return false;
  if (rule.arguments !== undefined && ![raw, commandOf(raw)].some((text) => matchesText(rule.arguments!, text)))
    return false;
  if (rule.path === undefined) return true;
  const { path } = rule;
  return paths.length > 0 && paths.every((changed) => matchesGlob(changed, path));
}

/** `*` stands for anything, line breaks and slashes included: an argument is no path. */
function matchesText(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(text);
}

function commandOf(raw: string): string {
  const { command } = argumentsOf(raw);
  return typeof command === 'string' ? command : '';
}

/** Of a call whose arguments are no object, none. */
export function argumentsOf(raw: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {}; // a call the model got wrong: it will not run
  }
}

/** The file a call names. Pure. */
export function pathsOf(raw: string): string[] {
  const { file_path: file, path } = argumentsOf(raw);
  const found = file ?? path;
  return typeof found === 'string' ? [found.replace(/^\/workspace\//, '')] : [];
}
