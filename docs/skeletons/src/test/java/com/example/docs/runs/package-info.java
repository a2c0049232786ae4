/** The code on the page docs/runs.md. */
@NullMarked
package com.example.docs.runs;

import org.jspecify.annotations.NullMarked;
