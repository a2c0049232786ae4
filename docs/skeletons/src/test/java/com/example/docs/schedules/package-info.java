/** The code on the page docs/schedules.md. */
@NullMarked
package com.example.docs.schedules;

import org.jspecify.annotations.NullMarked;
