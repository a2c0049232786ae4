package io.sagaspring.chaos;

import io.sagaspring.shop.Interference.Around;

/** Prevents a node from picking up runs, even its own runs whose leases have ended. */
class PickingUpNothing implements Around {

    @Override
    public String sent(String sql) {
        return EngineStatement.RUN_PICK_UP.is(sql) ? EngineStatement.pickingUpOnly("false", sql) : sql;
    }
}
