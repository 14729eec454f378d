import type { SessionEvent, SurfaceEvent, SurfaceEventType } from './types.ts';

const SURFACE_TYPES: ReadonlySet<string> = new Set<SurfaceEventType>([
  'user/message',
  'assistant/message',
  'tool/result',
  'context/message',
  'steering/message',
]);

/** Whether events of this type become messages, and so must say where they stand on the surface. */
export function isSurfaceEligibleType(type: string): type is SurfaceEventType {
  return SURFACE_TYPES.has(type);
}

/** Whether the event stands, or once stood, on the surface. */
export function isSurfaceEvent(event: SessionEvent): event is SurfaceEvent {
  return isSurfaceEligibleType(event.type) && 'surfaceOp' in event;
}
