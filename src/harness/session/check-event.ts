import { SessionLogError } from './session-errors.ts';
import { isSurfaceEligibleType } from './surface-event.ts';
import type { SessionEvent } from './types.ts';

/** Event types of older formats, which no reader of this one understands. */
const REMOVED_TYPES: ReadonlySet<string> = new Set(['request/header-delta', 'mode/set']);

/** Checks of a single event that need no other event. Throws `SessionLogError` `INVALID_EVENT`. */
export function checkEvent(event: SessionEvent): void {
  const { type } = event;
  if (typeof type !== 'string' || (type as string) === '') throw invalid(event, 'an event needs a type');
  if (REMOVED_TYPES.has(type)) throw invalid(event, 'this type is no longer part of the format');
  if (!Number.isSafeInteger(event.time)) throw invalid(event, 'time must be whole epoch milliseconds');
  if (!isObject(event.data)) throw invalid(event, 'data must be an object');
  if (isSurfaceEligibleType(type)) checkContent(event);
  if (type === 'request/header') checkRequestHeader(event, event.data);
  if (type === 'assistant/message') checkRoute(event, event.data.provenance, 'provenance');
  if (type === 'turn/end') checkReason(event, event.data.reason);
}

function checkContent(event: SessionEvent): void {
  const { content } = event.data as { content?: unknown };
  if (!Array.isArray(content) || !content.every(isObject)) throw invalid(event, 'content must be a list of blocks');
}

function checkRequestHeader(event: SessionEvent, data: { header?: unknown; reason?: unknown }): void {
  if (data.reason !== 'initial' && data.reason !== 'resume' && data.reason !== 'change') {
    throw invalid(event, `unknown header reason ${JSON.stringify(data.reason)}`);
  }
  if (!isObject(data.header)) throw invalid(event, 'header must be an object');
  checkRoute(event, data.header.config, 'header.config');
}

function checkRoute(event: SessionEvent, route: unknown, where: string): void {
  if (!isObject(route) || !isFilled(route.provider) || !isFilled(route.model)) {
    throw invalid(event, `${where} needs a provider and a model`);
  }
}

function checkReason(event: SessionEvent, reason: unknown): void {
  if (!isObject(reason) || !isFilled(reason.kind)) throw invalid(event, 'a turn ends with a reason');
  if (reason.kind === 'aborted' && Object.keys(reason).length > 1) throw invalid(event, 'aborted carries no detail');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function invalid(event: SessionEvent, why: string): SessionLogError {
  return new SessionLogError(`event ${event.seq} (${event.type}): ${why}`, 'INVALID_EVENT');
}
