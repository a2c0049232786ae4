/** What docs/runs.md shows. */
@NullMarked
package com.example.docs.runs;

import org.jspecify.annotations.NullMarked;
