package io.sagaspring.test.claim;

import io.sagaspring.test.database.FreshDatabase;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The contract holds for a table in another schema, with two columns as its id and a number as its status. */
@SpringBootTest(
        classes = DescribedShop.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:io/sagaspring/test/claim/tables.sql",
            "saga.janitor.modules.shop.default-janitor=true"
        })
@FreshDatabase(sharedAs = "described")
class BoxTableTests extends ClaimTableContract {

    private static final AtomicLong numbers = new AtomicLong();

    @Autowired
    JdbcClient database;

    @Override
    protected Class<?> entity() {
        return DescribedShop.Box.class;
    }

    @Override
    protected Object insert(String status) {
        DescribedShop.Place place = new DescribedShop.Place("a,~b", numbers.incrementAndGet());
        int unused = database.sql("INSERT INTO store.boxes (shelf, number, phase) VALUES (?, ?, ?)")
                .params(place.shelf(), place.number(), status.equals("FULL") ? 0 : 1)
                .update();
        return place;
    }
}
