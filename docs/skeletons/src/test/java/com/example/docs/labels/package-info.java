/** The code on the page docs/labels.md. */
@NullMarked
package com.example.docs.labels;

import org.jspecify.annotations.NullMarked;
