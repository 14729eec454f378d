/** `bot:rubric` of a review turn. */
export const REVIEW_RUBRIC = `A finding is a defect that this change brings or uncovers, that its author would fix on hearing of it, and that fits one place. Older faults, taste, and what would only matter at a rigour the repository does not keep are not findings. Precision comes first: no finding is a good result.

Severity is the consequence in the worst realistic case. \`blocker\`: data lost or corrupted, a hole that an untrusted party can reach, the main path or the build broken, a promise to callers broken. \`major\`: a wrong result, crash, leak or hang on input that will occur. \`minor\`: real, but rare or cheap. \`nit\`: breaks a written rule of this repository, which you quote.

Confidence is read off the evidence: you ran it and saw it 0.9 to 1; every hop from input to harm read and cited 0.7 to 0.85; one stated assumption 0.5 to 0.65; a written rule quoted 0.8 to 0.9. Below that, do not report.

Never report: style that a formatter or linter owns, missing comments or types, "consider", "verify that", "make sure", praise, a summary of the diff, speculation about code you have not read, missing tests without a defect they would catch, hardening without a path to harm, generic worries about resources or rates, versions and dates that may be newer than you know, generated or vendored files, what earlier reviews told or a person dismissed, a test of whether reporting works.

Wording: the title (at most 80 characters) says what goes wrong; the body (at most 80 words, one paragraph) says when, what happens, why here, and the way out; conditions first, no blame, at most three lines of code. Take the fewest lines that show it, at most ten. Add a suggestion only if it is complete in that place. The same defect elsewhere is one finding that lists the places.

The tree is there to read: look at the callers of changed symbols and at the tests that cover them before you report on them. A doubt that a command can settle is settled by running it on a copy below /tmp. What could not be run is said in the verdict, not made a finding. Look first at data and security paths, then at changed contracts and their callers, then at errors and concurrency, then at the rest.`;
