package io.sagaspring.autoconfigure;

import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.Workflows;
import jakarta.persistence.EntityManager;
import java.util.Objects;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The shop in its own JVM. It sends one parcel. */
final class ForkedShop {

    private ForkedShop() {}

    public static void main(String[] args) {
        try (var context = new SpringApplicationBuilder(Shop.application())
                .properties(Shop.settings())
                .run(args)) {
            Parcel parcel = new Parcel();
            Objects.requireNonNull(
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).execute(status -> {
                        context.getBean(EntityManager.class).persist(parcel);
                        return parcel;
                    }));
            System.out.println(
                    "sent with " + context.getBean(Workflows.class).run("parcel", parcel.id(), "send", Shop.ADMIN));
        }
    }
}
