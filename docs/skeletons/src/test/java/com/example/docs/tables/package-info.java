/** The code on the page docs/claims-jdbc.md. */
@NullMarked
package com.example.docs.tables;

import org.jspecify.annotations.NullMarked;
