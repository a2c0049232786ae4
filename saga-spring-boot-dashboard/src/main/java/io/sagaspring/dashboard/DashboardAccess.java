package io.sagaspring.dashboard;

/** What the dashboard offers. */
enum DashboardAccess {
    /** The dashboard does not exist. */
    NONE,
    /** The dashboard shows data and changes nothing. */
    READ_ONLY,
    /** The dashboard shows data, and people can perform operations. */
    UNRESTRICTED
}
