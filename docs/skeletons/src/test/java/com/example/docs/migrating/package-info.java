/** What docs/migrating.md shows: before and after. */
@NullMarked
package com.example.docs.migrating;

import org.jspecify.annotations.NullMarked;
