/** The code on the page docs/migrating.md, before and after the migration. */
@NullMarked
package com.example.docs.migrating;

import org.jspecify.annotations.NullMarked;
