/** The code on the page docs/audit.md. */
@NullMarked
package com.example.docs.audit;

import org.jspecify.annotations.NullMarked;
