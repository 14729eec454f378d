import { runAction } from '../action.ts';

// Not awaited: files of the bundle that are imported late import from this one, and would wait for its end.
void runAction(process.env).then((exitCode) => {
  process.exitCode = exitCode;
});
