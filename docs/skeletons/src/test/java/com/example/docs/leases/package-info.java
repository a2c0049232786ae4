/** What docs/leases.md shows. */
@NullMarked
package com.example.docs.leases;

import org.jspecify.annotations.NullMarked;
